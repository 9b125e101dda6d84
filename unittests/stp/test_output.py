"""Reports as text, JSON, SARIF and GitHub annotations."""

import json

import pytest

from utilities.stp.finding import Finding, Severity
from utilities.stp.output import FORMATS, Report, Unreadable
from utilities.stp.silencing import Silence

VAGUE = Finding("goal-vague", Severity.HIGH, "stps/a b.md", 7, "50% vague, or\nworse", "say what", ("works",))
ORDER = Finding("goal-order", Severity.MEDIUM, "stps/a b.md", 9, "P1 below P2", "sort")
BLANK = Finding("trailing-whitespace", Severity.LOW, "stps/a b.md", 1, "blanks", "delete them")
UNSIGNED = Finding("signoff-placeholder", Severity.CRITICAL, "stps/a b.md", 3, "unsigned", "sign it", open=True)
SILENT = Finding("goal-order", Severity.MEDIUM, "stps/a b.md", 5, "P0 below P1", "sort")
SILENCE = Silence("goal-order", "history first", 4, frozenset({4, 5}))
REFUSED = Unreadable("/abs/c,d.md", "/abs/c,d.md:2: byte 0xff is not UTF-8", "save it as UTF-8")
REPORT = Report(2, (BLANK, UNSIGNED, VAGUE, ORDER), ((SILENT, SILENCE),))


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (Report(1, ()), 0),
        (Report(1, (ORDER, BLANK, UNSIGNED)), 0),
        (Report(1, (VAGUE,)), 1),
        (Report(0, (), unreadable=(REFUSED,)), 2),
        (Report(1, (VAGUE,), unreadable=(REFUSED,)), 2),
    ],
)
def test_status(report, status):
    assert report.status == status
    assert json.loads(FORMATS["json"](report))["status"] == status
    assert json.loads(FORMATS["sarif"](report))["runs"][0]["invocations"][0]["exitCode"] == status


def test_text():
    assert FORMATS["text"](REPORT) == (
        "stps/a b.md:1: LOW trailing-whitespace\n    blanks: delete them\n"
        "stps/a b.md:3: open signoff-placeholder\n    unsigned: sign it\n"
        "stps/a b.md:7: HIGH goal-vague\n    50% vague, or worse (matched: works): say what\n"
        "stps/a b.md:9: MEDIUM goal-order\n    P1 below P2: sort\n"
        "2 plans: 1 high, 1 medium, 1 low, 1 open; 1 silenced with a reason\n"
    )
    assert FORMATS["text"](Report(0, (), unreadable=(REFUSED,))) == ("0 plans: no finding, 1 file could not be read\n")


def test_json():
    document = json.loads(FORMATS["json"](Report(2, (VAGUE, UNSIGNED), ((SILENT, SILENCE),), (REFUSED,))))

    assert document["counts"] == {"HIGH": 1, "open": 1}
    assert document["findings"][0] == {
        "id": "goal-vague",
        "severity": "HIGH",
        "open": False,
        "path": "stps/a b.md",
        "line": 7,
        "what": "50% vague, or\nworse",
        "todo": "say what",
        "matched": ["works"],
    }
    assert document["findings"][1]["open"] is True
    (silenced,) = document["silenced"]
    assert (silenced["id"], silenced["reason"], silenced["silenced_in"]) == ("goal-order", "history first", 4)
    assert document["unreadable"] == [{"path": REFUSED.path, "message": REFUSED.message, "todo": REFUSED.todo}]


def test_github():
    lines = FORMATS["github"](Report(2, REPORT.findings, unreadable=(REFUSED,))).splitlines()

    assert lines == [
        "::notice file=stps/a b.md,line=1,title=LOW trailing-whitespace::blanks: delete them",
        "::notice file=stps/a b.md,line=3,title=open signoff-placeholder::unsigned: sign it",
        "::error file=stps/a b.md,line=7,title=HIGH goal-vague::50%25 vague, or%0Aworse (matched: works): say what",
        "::warning file=stps/a b.md,line=9,title=MEDIUM goal-order::P1 below P2: sort",
        "::error file=/abs/c%2Cd.md,title=unreadable::/abs/c,d.md:2: byte 0xff is not UTF-8; save it as UTF-8",
        "2 plans: 1 high, 1 medium, 1 low, 1 open, 1 file could not be read",
    ]


# what SARIF 2.1.0 allows and requires of the objects that are written, by the schema of its errata 01
ALLOWED = {
    "log": {"$schema", "version", "runs"},
    "run": {"tool", "invocations", "columnKind", "results"},
    "driver": {"name", "rules"},
    "rule": {"id", "shortDescription", "help", "defaultConfiguration", "properties"},
    "result": {"ruleId", "ruleIndex", "kind", "level", "message", "locations", "suppressions", "properties"},
    "invocation": {"executionSuccessful", "exitCode", "toolExecutionNotifications"},
    "notification": {"level", "message", "locations"},
}
LEVELS = {"none", "note", "warning", "error"}


def sarif(report):
    """The only run of a log, every object checked against the standard."""
    log = json.loads(FORMATS["sarif"](report))
    assert set(log) == ALLOWED["log"]
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("/sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    assert set(run) <= ALLOWED["run"]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    driver = run["tool"]["driver"]
    assert set(driver) <= ALLOWED["driver"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert set(rule) <= ALLOWED["rule"]
        assert rule["shortDescription"]["text"]
        assert set(rule["help"]) == {"text", "markdown"}
        assert rule["defaultConfiguration"]["level"] in LEVELS
        assert all(isinstance(tag, str) for tag in rule["properties"]["tags"])
    for result in run["results"]:
        assert set(result) <= ALLOWED["result"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in LEVELS
        assert (result.get("kind", "fail") == "fail") == (result["level"] != "none")
        assert result["message"]["text"]
        (location,) = result["locations"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
        assert " " not in location["physicalLocation"]["artifactLocation"]["uri"]
    (invocation,) = run["invocations"]
    assert set(invocation) == ALLOWED["invocation"]
    for notification in invocation["toolExecutionNotifications"]:
        assert set(notification) == ALLOWED["notification"]
        assert notification["message"]["text"]
    return run


def test_sarif():
    run = sarif(REPORT)

    assert [(each["ruleId"], each["level"], each.get("kind"), "suppressions" in each) for each in run["results"]] == [
        ("trailing-whitespace", "note", None, False),
        ("signoff-placeholder", "none", "review", False),
        ("goal-order", "warning", None, True),
        ("goal-vague", "error", None, False),
        ("goal-order", "warning", None, False),
    ]
    assert run["results"][2]["suppressions"] == [{"kind": "inSource", "justification": "history first"}]
    place = run["results"][3]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "stps/a%20b.md"}, "region": {"startLine": 7}}
    assert run["invocations"][0]["executionSuccessful"] is True
    rule = run["tool"]["driver"]["rules"][run["results"][3]["ruleIndex"]]
    assert rule["properties"] == {"severity": "HIGH", "tags": ["heuristic"]}
    assert "Bad: `Hotplug works`" in rule["help"]["text"]


def test_sarif_of_an_unreadable_file():
    run = sarif(Report(0, (), unreadable=(REFUSED,)))

    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"] == f"{REFUSED.message}\nNext: {REFUSED.todo}"
    uri = notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "file:///abs/c%2Cd.md"
