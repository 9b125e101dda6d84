"""What a run does besides passing: plan changes, spread over workers, report blocked tests and leftovers."""

import re
import subprocess
import sys

from .processes import PATIENCE, ROOT, run_plans

PLAN = "tests/mdev_vgpu_live_migration"
LITTER = """

@pytest.fixture(scope="session", autouse=True)
def litter(admin):
    from utilities.clients import Resource

    config_maps = Resource("", "v1", "configmaps", "ConfigMap")
    admin.rest.create(config_maps, {"metadata": {"name": "forgotten"}}, "default")
"""


def test_dry_run_says_what_would_be_changed_and_runs_nothing(tmp_path):
    ended = run_plans(tmp_path / "results", "--dry-run", "-n", "2")
    assert ended.status == 0, ended.shown
    assert "changes on lab full, each undone at its end:" in ended.shown
    assert "patch HyperConverged openshift-cnv/kubevirt-hyperconverged: switch feature gates" in ended.shown
    assert "create Namespace migration-plans-*" in ended.shown
    assert "no tests ran" in ended.shown
    assert not (tmp_path / "results" / "verdicts.json").exists()


def test_blocked_tests_are_not_passed_ones(tmp_path):
    ended = run_plans(
        tmp_path / "results", "--lab-profile", "vgpu-small", "-v", tests=(f"{PLAN}/test_unsupported_devices.py",)
    )
    assert ended.status == 1, ended.shown
    assert ended.verdicts.items() >= {"VGPU-26": "passed", "VGPU-27": "blocked", "VGPU-28": "blocked"}.items()
    assert len(re.findall(r"::\w+ BLOCKED", ended.shown)) == 2
    assert re.search(r"VGPU-27 +2 +P2 +blocked", ended.shown)
    reasons = {test["reason"] for test in ended.told["tests"] if test["verdict"] == "blocked"}
    assert reasons == {"site lab vgpu-small lacks passthrough 1 (offers 0)"}


def test_what_is_left_behind_fails_the_run(tree, tmp_path):
    conftest = tree / PLAN / "conftest.py"
    conftest.write_text(conftest.read_text() + LITTER)
    ended = run_plans(
        tmp_path / "results", "-n", "1", "--lab-profile", "vgpu", "-k", "test_gate_cannot_be_flipped",
        tests=(PLAN,), root=tree,
    )  # fmt: skip
    assert ended.verdicts.items() >= {"VGPU-29": "passed"}.items(), ended.shown
    assert ended.status == 1, ended.shown
    assert "Left behind on the site:\n  configmaps default/forgotten\n" in ended.shown
    assert ended.told["left"] == ["configmaps default/forgotten"]
    assert "configmaps default/forgotten" in (tmp_path / "results" / "report.html").read_text()


def test_collecting_imports_nothing_that_only_running_needs():
    """Nor does it start a lab, or ask the lab's program anything."""
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "pytest",
        "tests",
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert done.returncode == 0, done.stdout
    assert "tests collected" in done.stdout
    assert {"pytest", "paramiko"} <= imported
    assert not imported & {"kubernetes", "ocp_resources", "hypothesis", "matplotlib", "lab"}
