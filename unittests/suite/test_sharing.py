"""Runs on a cluster that others use: workers of one lab, and a run in parts."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from .processes import run_plans, standing_lab

PLAN = "tests/mdev_vgpu_live_migration"
LITTER_OF_TWO = """

@pytest.fixture(scope="session", autouse=True)
def litter(admin, namespace):
    from utilities.clients import NAMESPACES, Resource
    configmaps = Resource("", "v1", "configmaps", "ConfigMap")
    admin.rest.create(NAMESPACES, {"metadata": {"name": "migration-plans-main-0thers"}})
    admin.rest.create(configmaps, {"metadata": {"name": f"{namespace}-forgotten"}}, "default")
"""
LOSE_THE_TURN = """

@pytest.fixture(autouse=True)
def lost_turn(sharing):
    yield
    sharing._lock.lost = "Lease default/migration-test-plans-kubevirt was taken over by another run"
    pytest.fail("the cluster was changed under our feet")
"""


def test_workers_of_one_lab_take_turns(tmp_path):
    ended = run_plans(
        tmp_path / "results", "-n", "2", "--lab-shared", "--lab-profile", "vgpu",
        tests=(f"{PLAN}/test_feature_gate.py", f"{PLAN}/test_permissions.py", f"{PLAN}/test_observability.py"),
    )  # fmt: skip
    assert ended.status == 0, ended.shown
    assert set(ended.verdicts.values()) == {"passed", "excluded"}
    assert ended.told["left"] == [], "neither worker leaves what it had, nor their Leases"
    assert [path.name for path in (tmp_path / "results").glob("lab-*")] == ["lab-main"]


def test_a_test_whose_turn_was_lost_proves_nothing_good_or_bad(tree, tmp_path):
    conftest = tree / PLAN / "conftest.py"
    conftest.write_text(conftest.read_text() + LOSE_THE_TURN)
    ended = run_plans(
        tmp_path / "results", "--lab-shared", "--lab-profile", "vgpu", "-k", "test_gate_cannot_be_flipped",
        tests=(PLAN,), root=tree,
    )  # fmt: skip
    assert ended.status == 1, ended.shown
    assert ended.verdicts["VGPU-29"] == "inconclusive"
    assert "taken over by another run" in ended.told["tests"][0]["reason"]


def test_two_runs_on_one_site_do_not_disturb_each_other(tmp_path):
    with standing_lab(tmp_path / "lab", "--profile", "vgpu") as site, ThreadPoolExecutor() as pool:
        runs = [
            pool.submit(run_plans, tmp_path / name, "--site", str(site), tests=(f"{PLAN}/test_{name}.py",))
            for name in ("permissions", "operator_trap")
        ]
        ended = [run.result() for run in runs]
    assert [each.status for each in ended] == [0, 0], "\n".join(each.shown for each in ended)


def test_what_another_run_has_meanwhile_is_not_left_behind_by_this_one(tree, tmp_path):
    conftest = tree / PLAN / "conftest.py"
    conftest.write_text(conftest.read_text() + LITTER_OF_TWO)
    with standing_lab(tmp_path / "lab", "--profile", "vgpu") as site:
        ended = run_plans(
            tmp_path / "results", "--site", str(site), "-k", "test_gate_cannot_be_flipped", tests=(PLAN,), root=tree
        )
    assert ended.verdicts["VGPU-29"] == "passed", ended.shown
    assert [re.sub("main-[0-9a-f]{6}", "main-…", line) for line in ended.told["left"]] == [
        "configmaps default/migration-plans-main-…-forgotten"
    ]


@pytest.mark.parametrize(
    ("part", "message"), [("4/4", "--shard 4/4: not a part of a run"), ("98/99", "make at most \\d+ parts")]
)
def test_a_part_that_there_is_not_is_refused(tmp_path, part, message):
    ended = run_plans(tmp_path / "results", "--shard", part)
    assert ended.status == 2, ended.shown
    assert re.search(message, ended.shown)
    assert "Traceback" not in ended.shown


def test_parts_make_up_the_whole_and_say_which_they_are(tmp_path):
    collected = [run_plans(tmp_path, "--collect-only", "-q", *part) for part in ((), *shards(3))]
    whole, *parts = [re.findall(r"^tests/.*::.*$", each.shown, re.MULTILINE) for each in collected]
    assert len(whole) > 30
    assert sorted(test for part in parts for test in part) == sorted(whole)
    ended = run_plans(
        tmp_path / "one", "--lab-profile", "vgpu", "--shard", "0/1", "-k", "test_gate_cannot_be_flipped", tests=(PLAN,)
    )
    assert ended.status == 0, ended.shown
    assert ended.told["facts"]["Shard"] == "0/1", json.dumps(ended.told["facts"])


def shards(count):
    """The options of each part."""
    return [("--shard", f"{index}/{count}") for index in range(count)]
