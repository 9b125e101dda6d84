"""Silencing one finding by a comment with a reason."""

from unittests.stp.sections import ids
from utilities.stp.silencing import silences_in
from utilities.stp.source import source_of

GOAL = (
    "#### **1. Scope of Testing**\n\n**Testing Goals**\n\n"
    "{}- **[P0]** Hotplug works{}\n- **[P0]** Verify that b is refused\n"
)
REASON = "<!-- stp-lint: goal-vague - the standard says what working means -->"


def test_reason_above_or_behind_the_line():
    assert "goal-vague" in ids(GOAL.format("", ""), fragment=True)
    assert ids(GOAL.format(f"{REASON}\n", ""), fragment=True) == set()
    assert ids(GOAL.format("", f" {REASON}"), fragment=True) == set()


def test_without_reason_it_is_a_finding_itself():
    found = ids(GOAL.format("<!-- stp-lint: goal-vague -->\n", ""), fragment=True)

    assert found == {"goal-vague", "silence-no-reason"}


def test_it_silences_one_line_and_one_rule_only():
    assert "goal-vague" in ids(GOAL.format("<!-- stp-lint: goal-order - because -->\n", ""), fragment=True)
    assert "silence-unused" in ids(GOAL.format("<!-- stp-lint: goal-order - because -->\n", ""), fragment=True)
    moved = GOAL.format("", "") + f"{REASON}\n- **[P0]** Verify that c is refused\n"
    assert ids(moved, fragment=True) == {"goal-vague", "silence-unused"}


def test_an_unsigned_item_cannot_be_silenced():
    limitation = "#### **2. Known Limitations**\n\n- **slow**\n  - *Sign-off:* [Name/Date] {}\n"

    found = ids(limitation.format("<!-- stp-lint: signoff-placeholder - later -->"), fragment=True)

    assert found == {"signoff-placeholder", "silence-unused"}


def test_reasons_are_kept_for_the_sign_off():
    (silence,) = silences_in(source_of(f"a\n{REASON}\n\nb\n", "p.md"))

    assert (silence.id, silence.reason, silence.line) == ("goal-vague", "the standard says what working means", 2)
    assert silence.lines == {2, 4}
