"""Results as data: what Allure says becomes outcomes, tests, evidence and facts."""

import json

import pytest

from unittests.stp_signoff.building import PLAN, TESTS, environment, green, result, revision, write_run
from utilities.stp.errors import StpError
from utilities.stp.signoff.facts import facts_in
from utilities.stp.signoff.outcome import Outcome, worst
from utilities.stp.signoff.reading import read_run, read_runs
from utilities.stp.signoff.results import attempts_of, key_of

GROW_01 = TESTS["GROW-01"]
DIGEST = revision("plan")


@pytest.mark.parametrize(
    ("status", "message", "outcome"),
    [
        ("passed", "", Outcome.PASSED),
        ("failed", "AssertionError: the VM is Blocked", Outcome.FAILED),
        ("broken", "utilities.errors.WaitTimeout: the move is\nBlocked", Outcome.BROKEN),
        ("broken", "utilities.errors.Blocked: site lacks a GPU", Outcome.BLOCKED),
        ("skipped", "Skipped: blocked: site lacks a GPU", Outcome.BLOCKED),
        ("broken", "utilities.errors.NotEnoughEvidence: gap", Outcome.INCONCLUSIVE),
        ("skipped", "XFAIL [NOTRUN] quarantined: why, CNV-1", Outcome.QUARANTINED),
        ("skipped", "XFAIL reason", Outcome.QUARANTINED),
        ("passed", "XPASS quarantined: why", Outcome.QUARANTINED),
        ("failed", "[XPASS(strict)] quarantined", Outcome.FAILED),
        ("skipped", "Skipped: just so", Outcome.NOT_RUN),
        ("skipped", "", Outcome.NOT_RUN),
        ("unknown", "", Outcome.BROKEN),
    ],
)
def test_outcomes(tmp_path, status, message, outcome):
    run = read_run(write_run(tmp_path, [result(GROW_01, "GROW-01", status=status, message=message)]))
    assert [attempt.outcome for attempt in run.attempts] == [outcome]


def test_a_quarantine_tag_is_enough(tmp_path):
    content = result(GROW_01, "GROW-01")
    content["labels"].append({"name": "tag", "value": "quarantined"})
    assert read_run(write_run(tmp_path, [content])).attempts[0].outcome is Outcome.QUARANTINED


def test_the_worst_counts():
    assert worst([Outcome.PASSED, Outcome.FAILED, Outcome.BLOCKED]) is Outcome.FAILED
    assert worst([Outcome.PASSED, Outcome.QUARANTINED]) is Outcome.QUARANTINED
    assert worst([]) is Outcome.NOT_RUN


def test_tests_go_by_their_node_ids(tmp_path):
    sets = f"{GROW_01}[a-b::c/d]"
    run = read_run(write_run(tmp_path, [result(sets, "GROW-01"), result("test_x.py::test_y", "GROW-02")]))
    assert [attempt.test for attempt in run.attempts] == [sets, "test_x.py::test_y"]
    assert [attempt.key for attempt in run.attempts] == [key_of(sets), "test_x#test_y"]
    assert run.attempts[0].function == key_of(GROW_01)


def test_a_titled_test_goes_by_its_parameters(tmp_path):
    parameters = [{"name": "size", "value": "'1Gi'"}, {"name": "downtime", "value": "'1 s'", "excluded": True}]
    content = result(GROW_01, "GROW-01", parameters=parameters, name="Raise by 1Gi")
    assert read_run(write_run(tmp_path, [content])).attempts[0].test == f"{GROW_01}[1Gi]"


def test_null_is_nothing(tmp_path):
    content = result(GROW_01, "GROW-01", statusDetails={"message": None, "trace": None}, attachments=[{"name": None}])
    content["labels"].append({"name": None, "value": None})
    (attempt,) = read_run(write_run(tmp_path, [content])).attempts
    assert (attempt.message, attempt.outcome) == ("", Outcome.PASSED)


def test_evidence_and_links(tmp_path):
    links = [
        {"type": "issue", "name": "CNV-1", "url": "https://tracker.example.com/CNV-1"},
        {"type": "link", "name": "bad", "url": "javascript:alert(1)"},
    ]
    attachments = [{"name": "timeline", "source": "t.svg"}, {"name": "gone", "source": "gone.txt"}]
    steps = [{"name": "move", "steps": [{"name": "wait", "attachments": [{"name": "events", "source": "e.txt"}]}]}]
    figures = [{"name": "downtime", "value": "'1.5 s'", "excluded": True}]
    content = result(GROW_01, "GROW-01", links=links, attachments=attachments, steps=steps, parameters=figures)
    run = write_run(tmp_path, [content])
    (run / "allure/t.svg").write_text("<svg/>")
    (run / "allure/e.txt").write_text("e")
    (attempt,) = read_run(run).attempts
    there = [(each.name, each.path is not None) for each in attempt.evidence]
    assert there == [("timeline", True), ("gone", False), ("events", True)]
    assert attempt.figures == (("downtime", "1.5 s"),)
    assert [each.url for each in attempt.links] == ["https://tracker.example.com/CNV-1", ""]


def test_the_allure_folder_itself_will_do(tmp_path):
    run = write_run(tmp_path, green(), ledger=green())
    assert read_run(run / "allure").attempts == read_run(run).attempts
    assert read_run(run / "allure").ledger == read_run(run).ledger


def test_a_folder_named_twice_counts_once(tmp_path):
    write_run(tmp_path, green())
    runs = read_runs([tmp_path, tmp_path / ".", tmp_path])
    assert len(attempts_of(runs)) == len(green())


def test_no_such_folder(tmp_path):
    with pytest.raises(StpError, match="no such folder"):
        read_run(tmp_path / "none")


def test_the_digest_tells_any_change(tmp_path):
    attachment = {"name": "timeline", "source": "t.svg"}
    run = write_run(tmp_path, [result(GROW_01, "GROW-01", attachments=[attachment]), *green()], ledger=green())
    (run / "allure/t.svg").write_text("<svg/>")
    before = read_run(run).digest
    assert read_run(run).digest == before
    path = run / "allure/0001-result.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "stop": 7}))
    assert read_run(run).digest != before
    changed = read_run(run).digest
    (run / "allure/t.svg").write_text("<svg></svg>")
    assert read_run(run).digest != changed


@pytest.mark.parametrize(
    "line",
    [
        f"Plan.{PLAN}=sha256:{DIGEST}",
        f"Plan {PLAN}={DIGEST}",
        f"Plan.revisions={PLAN} sha256:{DIGEST}, stps/sig-x/other.md sha256:{'0' * 64}",
        f"Plan.revisions=stps/other/memory-hotplug.md={'0' * 64}, {PLAN}={DIGEST}",
        f"Plan revision {PLAN}=sha256:{DIGEST.upper()}",
        f"plan.{PLAN}=sha256:{DIGEST}",
    ],
)
def test_the_revision_of_a_plan(line):
    assert facts_in(line).revision_of(PLAN) == DIGEST
    assert facts_in(line).revision_of("/somewhere/else" / PLAN) == DIGEST


@pytest.mark.parametrize(
    "line", ["", f"Plan.stps/other/{PLAN.name}=sha256:{DIGEST}", f"Plan.{PLAN}=none", f"Other.{PLAN}={DIGEST}"]
)
def test_no_revision_of_a_plan(line):
    assert facts_in(line).revision_of(PLAN) is None


def test_facts_go_by_keys_without_regard_to_spelling():
    facts = facts_in("# a comment\nNode.OS = RHCOS 9.6\nkubeVirt=v1.9.0\nOpenShift=none\nno separator\n=x\n")
    assert (facts.get("Node OS"), facts.get("KubeVirt"), facts.get("OpenShift")) == ("RHCOS 9.6", "v1.9.0", "")
    assert facts.version("OpenShift", "KubeVirt") == "v1.9.0"
    assert facts.version("Node OS") == "RHCOS 9.6"


@pytest.mark.parametrize(
    ("facts", "on_lab"),
    [
        ({}, False),
        ({"Target_kind": "lab"}, True),
        ({"Target_kind": "something new"}, True),
        ({"Target_kind": None, "Target": "embedded lab (never …)"}, True),
        ({"Target_kind": None, "Target": "collaboration-1"}, False),
        ({"Target_kind": None, "Target": None}, None),
    ],
)
def test_whether_it_was_the_lab(facts, on_lab):
    assert facts_in(environment(**facts)).on_lab is on_lab
