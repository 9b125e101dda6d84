"""What the tests of this folder share: a signed plan with scenario ids, results as a run leaves them, approvals."""

import hashlib
import json
from functools import cache
from pathlib import Path

from unittests.stp.reading import CASES
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import plan_from
from utilities.stp.signoff.approvals import NOBODY, approvals_in
from utilities.stp.signoff.dossier import Phase, dossier
from utilities.stp.signoff.gate import judge
from utilities.stp.signoff.reading import read_runs

TITLE = "Memory hotplug for running VMs"
PLAN = Path("stps/sig-example/memory-hotplug.md")
TESTS = {
    "GROW-01": "tests/memory_hotplug/test_raise.py::TestRaise::test_guest_sees_it",
    "GROW-02": "tests/memory_hotplug/test_raise.py::TestRaise::test_beyond_the_maximum",
    "GROW-03": "tests/memory_hotplug/test_events.py::test_raise_appears",
    "GROW-04": "tests/memory_hotplug/test_events.py::test_owner_is_named",
}
_STORY = "- **[CNV-00005]** — As a VM owner, I want to know who raised the memory so that I can ask them."
_EXTRA = f"""
{_STORY}
  - *Test Scenario:* [Tier 2] **GROW-04** — Verify that the event of a raise names the user who asked for it
  - *Priority:* P2
"""
EXCLUDED = """
  - *Test Scenario:* [Tier 3] **GROW-05** — Verify that a Windows guest sees the raise
  - *Priority:* {priority}
  - *Not automated here:* no licence — CNV-00073, {who}
"""


def plan_text(*, excluded=None, who="PM One / 2031-03-04"):
    """A complete, signed plan: GROW-01, GROW-02 are P0, GROW-03 is P1, GROW-04 is P2.

    excluded: the priority of one more scenario, GROW-05, that is excluded and signed by `who`.
    """
    text = (CASES / "00-clean.md").read_text(encoding="utf-8")
    for number, words in enumerate(
        ("Verify that the guest sees", "Verify that a raise beyond", "Verify that the raise"), 1
    ):
        head, mark, tail = text.rpartition(words)
        text = f"{head}**GROW-0{number}** — {mark}{tail}"
    extra = _EXTRA + (EXCLUDED.format(priority=excluded, who=who) if excluded else "")
    return text.replace("\n---\n\n### **IV.", f"{extra}\n---\n\n### **IV.")


def revision(text):
    """The checksum of a plan file with this text."""
    return hashlib.sha256(text.encode()).hexdigest()


def environment(text=None, **changes):
    """The facts of a run on a cluster, as `environment.properties`; None takes a key away."""
    facts = {
        "Target": "ocp-7",
        "Target.kind": "cluster",
        "OpenShift": "4.30.1",
        "Kubernetes": "v1.33.2",
        "HyperConverged": "4.30.0",
        "KubeVirt": "v1.9.0",
        f"Plan.{PLAN}": f"sha256:{revision(text if text is not None else plan_text())}",
    } | {key.replace("_", "."): value for key, value in changes.items()}
    return "".join(f"{key}={value}\n" for key, value in facts.items() if value is not None)


def result(test, *scenarios, status="passed", message="", feature=TITLE, severity="blocker", at=0, **more):
    """An Allure result as allure-pytest 2.16 writes it, for a pytest node id."""
    node, bracket, parameters = test.partition("[")
    path, *classes, function = node.split("::")
    package = ".".join([path.removesuffix(".py").replace("/", "."), *classes])
    labels = [{"name": "story", "value": scenario} for scenario in scenarios]
    labels += [{"name": "feature", "value": feature}, {"name": "severity", "value": severity}]
    content = {
        "name": f"{function}{bracket}{parameters}",
        "status": status,
        "fullName": f"{package}#{function}",
        "historyId": hashlib.md5(test.encode(), usedforsecurity=False).hexdigest(),
        "start": 1_930_000_000_000 + at,
        "stop": 1_930_000_004_000 + at,
        "labels": [*labels, {"name": "tag", "value": "tier2"}],
        "titlePath": [*path.split("/"), *classes],
    }
    if message:
        content["statusDetails"] = {"message": message}
    return {**content, **more}


def green():
    """Results in which every scenario passed."""
    severities = {"GROW-01": "blocker", "GROW-02": "blocker", "GROW-03": "critical", "GROW-04": "normal"}
    return [result(test, scenario, severity=severities[scenario]) for scenario, test in TESTS.items()]


def write_run(folder, results, *, facts=None, ledger=None):
    """Leave results in `folder` as the plugin does; ledger: results that the run's own list names, None for no list."""
    allure = folder / "allure"
    allure.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(results):
        (allure / f"{number:04d}-result.json").write_text(json.dumps(content))
    (allure / "environment.properties").write_text(environment() if facts is None else facts)
    if ledger is not None:
        (folder / "verdicts.json").write_text(json.dumps({"tests": [_listed(each) for each in ledger]}))
    return folder


def _listed(content):
    files = next(number for number, part in enumerate(content["titlePath"], 1) if part.endswith(".py"))
    path, classes = content["titlePath"][:files], content["titlePath"][files:]
    return {
        "test": "::".join(["/".join(path), *classes, content["name"]]),
        "scenarios": [label["value"] for label in content["labels"] if label["name"] == "story"],
        "verdict": content["status"],
    }


def approvals(text=""):
    """The approvals in a text."""
    return approvals_in(text, Path("approvals.yaml")) if text else NOBODY


@cache
def linted(text):
    """The plan in a text, and what the linter says of it."""
    plan = plan_from(text, PLAN)
    return plan, lint(subject_of(plan))


def case(folders, *, text=None, phase=Phase.TP, agreed=NOBODY, claims=None, allow_lab=False):
    """The dossier of results in folders against the plan."""
    text = plan_text() if text is None else text
    plan, findings = linted(text)
    return dossier(
        plan,
        revision(text),
        phase,
        read_runs(folders),
        agreed,
        findings=findings,
        claims=claims,
        allow_lab=allow_lab,
    )


def verdict(*folders, **options):
    """The verdict on results in folders."""
    return judge(case(folders, **options))


def reasons(found):
    """The reasons of a verdict as one text."""
    return "\n".join(reason.what for reason in found.reasons)
