"""A small run of a plan, as Allure shows it: results that are whole, and a report that a browser can open."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unittests.browser import document, words
from utilities.errors import SuiteError
from utilities.evidence import allure_report

ROOT = Path(__file__).parents[2]
MODULE = "tests/mdev_vgpu_live_migration/test_move.py"
SCENARIO, TEST = "VGPU-05", "test_vm_runs_on_the_other_node"
READER = """
<script>
  const seen = new MutationObserver(() => {
    const rows = [...document.querySelectorAll('[data-testid="test-result-attachment-header"]')];
    const timeline = rows.find((row) => row.textContent.includes("timeline of"));
    if (timeline && !timeline.dataset.opened) {
      timeline.dataset.opened = "yes";
      timeline.querySelector("button").click();
    }
    const image = document.querySelector('[data-testid="image-attachment-content"] img');
    if (image) {
      seen.disconnect();
      image.decode().then(() => { document.title = `timeline ${image.naturalWidth} wide`; });
    }
  });
  seen.observe(document, {childList: true, subtree: true});
</script>
"""
"""Opens the timeline of the test that is shown, and says in the title how wide the picture is that came of it."""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What a run in an xdist worker left."""
    folder = tmp_path_factory.mktemp("run")
    run = [sys.executable, "-m", "pytest", MODULE, "-n", "1", "-p", "no:cacheprovider"]
    command = [*run, "--lab-profile", "vgpu", "--results", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return folder


@pytest.fixture(scope="module")
def tests(results):
    """The results by the name of the test."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in (results / "allure").glob("*-result.json")]
    return {result["name"]: result for result in found}


@pytest.fixture(scope="module")
def containers(results):
    """Set-up and tear-down of the fixtures."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in (results / "allure").glob("*-container.json")]


@pytest.fixture(scope="module")
def report(results):
    """The report of that run, made by the command."""
    assert allure_report.main([str(results)]) == 0
    return results / "allure-report/index.html"


def labels(result, name):
    return [label["value"] for label in result["labels"] if label["name"] == name]


def below(steps):
    for step in steps:
        yield step
        yield from below(step.get("steps", ()))


def test_results_are_whole(results, tests, containers):
    folder = results / "allure"
    ledger = json.loads((results / "verdicts.json").read_text(encoding="utf-8"))
    assert len(tests) == len(ledger["tests"]) > 1
    assert not list(folder.glob("*.tmp"))
    assert all(result["status"] == "passed" and result["stop"] >= result["start"] for result in tests.values())
    attached = [each["source"] for result in tests.values() for each in result.get("attachments", ())]
    assert attached
    assert all((folder / name).stat().st_size for name in attached)
    children = {child for container in containers for child in container.get("children", ())}
    assert children == {result["uuid"] for result in tests.values()}


def test_results_of_workers_carry_what_the_plan_says(tests):
    moved = tests[TEST]
    assert [labels(moved, name) for name in ("story", "severity", "epic", "feature")] == [
        [SCENARIO], ["blocker"], ["CNV-88979"], ["Live migration of VMs with an mdev vGPU"],
    ]  # fmt: skip
    assert labels(moved, "tag").count("tier2") == 1
    assert f"#{SCENARIO}" in next(link["url"] for link in moved["links"] if link["type"] == "tms")
    assert "**Expected:**" in moved["description"]


def test_what_was_done_stands_in_the_steps_of_the_fixture_that_did_it(containers):
    (move,) = [each for container in containers for each in container["befores"] if each["name"] == "completed_move"]
    names = [step["name"] for step in move["steps"]]
    assert names == ["start VM", "record", "delete VM"]
    recorded = move["steps"][1]
    assert [step["name"] for step in recorded["steps"]] == [
        "look at the guest",
        "request migration",
        "wait for phase Succeeded or Failed",
        "wait for heartbeats",
        "look at the guest",
    ]
    told = {each["name"]: each["value"] for each in recorded["steps"][2]["parameters"]}
    assert told["phase"] == "Succeeded"
    assert float(told["product time"].removesuffix(" s")) > 0
    assert all(step["status"] == "passed" and step["stop"] >= step["start"] for step in below(move["steps"]))


def test_tear_down_shows_fixtures_and_nothing_of_pytests_own(containers):
    names = [each["name"] for container in containers for each in container.get("afters", ())]
    assert "namespace" in names
    assert not [name for name in names if "::" in name]


def test_the_environment_tells_what_workers_observed(results):
    lines = (results / "allure/environment.properties").read_text(encoding="utf-8").splitlines()
    told = dict(line.split("=", 1) for line in lines)
    assert told["Target.kind"] == "lab"
    assert told["KubeVirt"].startswith("v")
    assert told["Kubernetes"].startswith("v")
    assert told["HyperConverged"] != "none"
    assert told["OpenShift"] == "none"
    assert told["Plan.stps/sig-virt/mdev-vgpu-live-migration.md"].startswith("sha256:")
    assert {"Suite.revision", "Python", "Lab.profile", "Lab.seed", "Lab.faults"} <= told.keys()
    heads = words((results / "report.html").read_text(encoding="utf-8"))
    assert all(value in heads for value in told.values())


def test_the_report_shows_scenario_steps_and_timeline(report, tmp_path):
    shown = json.loads((report.parent / "test-results.json").read_text(encoding="utf-8"))["byId"]
    moved = next(name for name, test in shown.items() if test["name"] == TEST)
    read = tmp_path / "index.html"
    read.write_text(report.read_text(encoding="utf-8") + READER, encoding="utf-8")
    page = document(read, moved)
    text = words(page)
    for wanted in (SCENARIO, "Blocker", "start VM", "request migration", "product time", "timeline of"):
        assert wanted in text
    assert "<title>timeline 960 wide</title>" in page


def test_the_report_opens_with_what_was_tested(report):
    text = words(document(report))
    for wanted in (allure_report.NAME, "KubeVirt", "CNV-88979", "Passed"):
        assert wanted in text


def test_the_report_asks_nobody(report):
    assert "googletagmanager" not in report.read_text(encoding="utf-8")


def test_a_folder_without_results_is_refused(tmp_path, capsys):
    assert allure_report.main([str(tmp_path)]) == 2
    assert "no Allure results" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["node", "npm"])
def test_a_missing_tool_is_named(tmp_path, monkeypatch, missing):
    (tmp_path / "a-result.json").write_text("{}")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in {"node", "npm"} - {missing}:
        os.symlink(shutil.which(tool) or "/bin/true", tools / tool)
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(SuiteError, match=f"^{missing} is not on the path") as refused:
        allure_report.make_report([tmp_path], tmp_path / "out")
    assert "Node.js" in refused.value.next_step


def test_an_old_node_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a-result.json").write_text("{}")
    for tool in ("node", "npm"):
        (tmp_path / tool).write_text("#!/bin/sh\necho v18.19.0\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(SuiteError, match=r"is v18\.19\.0, Allure 3 needs 20"):
        allure_report.make_report([tmp_path], tmp_path / "out")
