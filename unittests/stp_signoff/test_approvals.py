"""The approvals file: unsigned stays unsigned, and a file that is not in the format is refused by name and place."""

import re
from pathlib import Path

import pytest

from unittests.stp_signoff.building import approvals
from utilities.stp.errors import StpError
from utilities.stp.signoff.approvals import NOBODY, approvals_in, read_approvals

DOCUMENTATION = Path(__file__).parents[2] / "docs/sign-off.md"
CHECKSUM = "ab" * 32


def test_nothing_written_is_nothing_approved():
    assert approvals_in("", Path("a.yaml")) == approvals_in("# later\n", Path("a.yaml")) == NOBODY


def test_the_documented_example_is_in_the_format():
    (example,) = re.findall(r"```yaml\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    found = approvals_in(example, DOCUMENTATION)
    assert found.approvals
    assert found.agreements
    assert not any(each.signed for each in found.approvals), "nobody real is invented in an example"


@pytest.mark.parametrize(
    "entry",
    ["{role: PM}", "{role: PM, name: null, date: null}", "{role: PM, name: PM One}", "{role: PM, date: 2031-03-04}",
     "{role: PM, name: '[Name]', date: 2031-03-04}", "{role: PM, name: TBD, date: 2031-03-04}",
     "{role: PM, name: PM One, date: '[Date]'}", "{role: PM, name: PM One, date: pending}"],
)  # fmt: skip
def test_unsigned_stays_unsigned(entry):
    (found,) = approvals(f"approvals: [{entry}]").approvals
    assert not found.signed
    assert not found.given_for("")


@pytest.mark.parametrize("date", ["2031-03-04", "'2031-03'", "03/2031", "'Mar 4, 2031'"])
def test_a_name_and_a_date_sign(date):
    (found,) = approvals(f"approvals: [{{role: PM, name: PM One, date: {date}, decision: approved}}]").approvals
    assert found.signed


def test_a_decision_counts_for_the_report_that_it_names():
    text = f"approvals: [{{role: PM, name: PM One, date: 2031-03-04, decision: approved, report: 'sha256:{CHECKSUM}'}}]"
    (found,) = approvals(text).approvals
    assert found.given_for(CHECKSUM)
    assert not found.given_for("cd" * 32)


def test_a_decision_without_checksum_counts_for_no_report():
    (found,) = approvals("approvals: [{role: PM, name: PM One, date: 2031-03-04, decision: approved}]").approvals
    assert not found.given_for(CHECKSUM)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("- a", "a.yaml: top level"),
        ("approvals: 3", "a.yaml: approvals"),
        ("approvals: [{name: PM One}]", "approvals.0.role"),
        ("approvals: [{role: PM, decision: perhaps}]", "approvals.0.decision"),
        ("approvals: [{role: PM, report: abc}]", "approvals.0.report: write sha256:"),
        ("approvals: [{role: PM, verdict: yes}]", "approvals.0.verdict"),
        ("agreements: [{scenario: GROW-01}, {issue: CNV-1}]", "agreements.1.scenario"),
        ("automation: {merged: 'javascript:alert(1)'}", "automation.merged: write a whole address"),
        ("aproovals: []", "aproovals"),
        ("a: [", "a.yaml:1: no YAML"),
        ("a: b: c", "a.yaml:1: no YAML"),
        ("\x07", "no YAML"),
        ("approvals: !!python/object:os.system {}", "no YAML"),
        ("2031-13-44: x", "no YAML"),
        ("a: &a [*a]", "a"),
    ],
)
def test_what_is_not_in_the_format_is_refused(text, place):
    with pytest.raises(StpError) as caught:
        approvals_in(text, Path("a.yaml"))
    assert place in str(caught.value)
    assert "docs/sign-off.md" in caught.value.next_step


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(StpError, match="cannot read"):
        read_approvals(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(StpError, match="is not UTF-8"):
        read_approvals(tmp_path / "binary.yaml")
