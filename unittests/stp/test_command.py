"""The command line: exit status 0, 1 and 2, and what it prints."""

import json

import pytest

from unittests.stp.reading import CASES
from utilities.stp import batch
from utilities.stp.__main__ import main


@pytest.fixture
def printed(capsys):
    """Runs a command: (status, standard output, standard error)."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


def test_clean_plan(printed):
    assert printed("lint", CASES / "00-clean.md") == (0, "1 plan: no finding\n", "")


def test_blocking_finding(printed):
    status, out, _ = printed("lint", "--fragment", CASES / "06-risks.md")

    assert status == 1
    assert f"{CASES / '06-risks.md'}:20: CRITICAL risk-no-signoff\n    the risk has no sign-off: " in out
    assert out.endswith("1 plan: 1 critical, 2 high, 1 medium, 2 low\n")
    assert max(len(line) for line in out.splitlines() if line.startswith(" ")) <= 100


def test_unsigned_items_are_open_and_block_nothing(printed, tmp_path):
    plan = tmp_path / "plan.md"
    plan.write_text((CASES / "00-clean.md").read_text().replace("Product Manager One / 2031-03-04", "[Name/Date]"))

    status, out, _ = printed("lint", plan)

    assert status == 0
    assert ": open signoff-placeholder\n" in out
    assert out.endswith("1 plan: 2 open\n")


def test_low_findings_block_nothing(printed, tmp_path):
    plan = tmp_path / "plan.md"
    plan.write_text((CASES / "00-clean.md").read_text().rstrip())

    assert printed("lint", plan)[0] == 0


def test_unreadable_file_beside_a_good_one(printed, tmp_path):
    (tmp_path / "a.md").write_bytes(b"# A\n\xff")
    (tmp_path / "b.md").write_text((CASES / "00-clean.md").read_text())

    status, out, err = printed("lint", tmp_path)

    assert (status, out) == (2, "1 plan: no finding, 1 file could not be read\n")
    assert err == f"{tmp_path / 'a.md'}:2: byte 0xff is not UTF-8\nNext: save the file as UTF-8 text\n"


def test_folder_without_plans(printed, tmp_path):
    (tmp_path / "README.md").write_text("# Read me\n")

    status, _, err = printed("lint", tmp_path)

    assert status == 2
    assert "no plan in this folder" in err


def test_children_are_judged_beside_their_parent(printed, tmp_path):
    clean = (CASES / "00-clean.md").read_text()
    (tmp_path / "stp.md").write_text(clean)
    (tmp_path / "net.md").write_text(clean)

    _, out, _ = printed("lint", tmp_path)

    assert f"{tmp_path / 'net.md'}:29: MEDIUM child-no-parent-link" in out
    assert f"{tmp_path / 'net.md'}:29: HIGH child-duplicates-parent" in out
    assert f"{tmp_path / 'stp.md'}:14: HIGH child-not-listed" in out


def test_explaining(printed):
    status, out, err = printed("lint", "--explain", "goal-order")

    assert (status, err) == (0, "")
    assert out.startswith("goal-order  MEDIUM  (mechanical: exact)\n")
    status, out, err = printed("lint", "--explain", "goal-colour")
    assert (status, out) == (2, "")
    assert "one of: goal-no-priority, goal-order" in err


def test_silenced_findings_are_counted_and_do_not_block(printed, tmp_path):
    plan = tmp_path / "plan.md"
    silenced = "<!-- stp-lint: platform-generic - every platform is covered in one lane -->\n- **Platform:** Any"
    plan.write_text((CASES / "00-clean.md").read_text().replace("- **Platform:** Bare metal", silenced))

    status, out, _ = printed("lint", "--format", "json", plan)

    document = json.loads(out)
    assert (status, document["findings"]) == (0, [])
    (finding,) = document["silenced"]
    assert (finding["id"], finding["reason"]) == ("platform-generic", "every platform is covered in one lane")


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_status_in_every_form(printed, tmp_path, form):
    (tmp_path / "bad.md").write_bytes(b"\xff")

    assert printed("lint", "--format", form, CASES / "00-clean.md")[0] == 0
    assert printed("lint", "--format", form, CASES / "01-placeholders-and-signoffs.md")[0] == 1
    status, _, err = printed("lint", "--format", form, tmp_path)
    assert status == 2
    assert "bad.md:1: byte 0xff is not UTF-8" in err


def test_many_plans_are_shared_among_processes(printed, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "_WORTH_SHARING", 4)
    monkeypatch.setattr(batch.os, "cpu_count", lambda: 2)
    for number in range(4):
        (tmp_path / f"{number}.md").write_text((CASES / "00-clean.md").read_text())
    (tmp_path / "2.md").write_bytes(b"\xff")

    assert printed("lint", tmp_path)[:2] == (2, "3 plans: no finding, 1 file could not be read\n")


def test_wrong_arguments_are_status_two(printed, capsys):
    with pytest.raises(SystemExit) as raised:
        printed("lint", "--format", "xml")

    assert raised.value.code == 2
    assert "invalid choice: 'xml'" in capsys.readouterr().err


def test_showing(printed):
    status, out, _ = printed("show", CASES / "00-clean.md")

    assert status == 0
    assert out.startswith("# Openshift-virtualization-tests Test plan\n\n## **")
    assert "- **[P0]** Verify that a running Linux VM" in out


def test_outline(printed):
    status, out, _ = printed("show", "--outline", CASES / "00-clean.md")

    assert status == 0
    assert "  102    goal (P0): Verify that a running Linux VM" in out
    assert "  241      CNV-00005#1 (Tier 2, P0): Verify that the guest sees a 1 GiB raise" in out
    assert "   72    Lowering the limit of a running VM is not supported (Product Manager One / 2031-03-04)" in out
    assert max(map(len, out.splitlines())) <= 100


PLAN = """### III. Test Scenarios & Traceability
- **[CNV-1]** — As a user, I want x
  - *Test Scenario:* [Tier 2] **A-01** — Verify growth
  - *Priority:* P0
  - *Test Scenario:* [Tier 3] **A-02** — Verify it on Windows
  - *Priority:* P2
  - *Not automated here:* no image — CNV-2, [Name / date]
"""
TEST = '''"""Growth.  STP: stps/plan.md\n\nPreconditions:\n    - A VM\n"""
import pytest


@pytest.mark.scenario("A-01")
def test_growth():
    """Test growth.\n\n    Steps:\n        1. Grow\n    Expected:\n        - It grew\n    """
    assert True
'''


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A plan and its test, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stps").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "stps" / "plan.md").write_text(PLAN)
    (tmp_path / "tests" / "test_a.py").write_text(TEST)
    return tmp_path


def test_tracing(printed, repository):
    status, out, err = printed("trace")

    assert (status, err) == (0, "")
    assert out.startswith("stps/plan.md:5: open trace-exclusion-unsigned\n")
    assert out.endswith("1 plan: 1 open\n")
    (repository / "tests" / "test_a.py").write_text("")
    assert printed("trace")[0] == 1
    (repository / "tests" / "test_a.py").write_text("def test_(:\n")
    assert printed("trace")[0] == 2


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("text", "  A-01      P0 T2 passed       Verify growth"),
        (
            "markdown",
            "| **A-01** | P0 | 2 | Verify growth | `tests/test_a.py::test_growth` passed | passed |",
        ),
        ("html", '<tr id="A-01"><td class="id"><b>A-01</b>'),
    ],
)
def test_matrix_with_verdicts(printed, repository, form, line):
    verdicts = {
        "facts": {"Target": "lab"},
        "scenarios": {"A-01": "passed"},
        "tests": [{"test": "tests/test_a.py::test_growth", "verdict": "passed"}],
    }
    (repository / "verdicts.json").write_text(json.dumps(verdicts))

    status, out, err = printed("trace", "--matrix", form, "--results", ".")

    assert status == 0
    assert line in out
    assert err.endswith("1 plan: 1 open\n")
    (repository / "verdicts.json").unlink()
    assert printed("trace", "--matrix", form, "--results", ".")[0] == 2


def test_trace_findings_in_other_forms(printed, repository):
    (repository / "tests" / "test_a.py").write_text(TEST.replace("A-01", "A-1"))

    status, out, _ = printed("trace", "--format", "json")

    assert status == 1
    assert [finding["id"] for finding in json.loads(out)["findings"]] == [
        "trace-scenario-untested",
        "trace-exclusion-unsigned",
        "trace-unknown-scenario",
    ]
    sarif = json.loads(printed("trace", "--format", "sarif")[1])
    assert {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]} >= {"trace-unknown-scenario"}
