"""The way to a real cluster: a lab that stands by itself, and a run that knows nothing of it but its site file."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from utilities.stp import load_plan

from .processes import ROOT, Ended, run_plans, standing_lab

PLAN = ROOT / "stps" / "sig-virt" / "mdev-vgpu-live-migration.md"
TESTS = "tests/mdev_vgpu_live_migration"
WHERE_HCO_MATTERS = ("test_feature_gate.py", "test_operator_trap.py", "test_permissions.py")
AT_ONCE = 2  # on two cores; a lab and the run against it take turns


@dataclass(frozen=True)
class Way:
    """A lab, how its site file is changed, and which tests run against it."""

    profile: str = "vgpu"
    product: tuple[tuple[str, str], ...] = ()
    tests: tuple[str, ...] = (TESTS,)


WAYS = {
    "hco v1": Way(),
    "plain KubeVirt": Way(profile="kubevirt"),
    "hco v1beta1": Way(
        product=(("hyperconverged_api", "v1beta1"),),
        tests=tuple(f"{TESTS}/{name}" for name in WHERE_HCO_MATTERS),
    ),
    "no cloud": Way(tests=("tests/eviction_concurrency/test_order.py",)),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """The runs, by name."""
    folders = {name: tmp_path_factory.mktemp("way") for name in WAYS}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = {name: pool.submit(_run, way, folders[name]) for name, way in WAYS.items()}
    return {name: run.result() for name, run in runs.items()}


def _run(way: Way, folder: Path) -> Ended:
    with standing_lab(folder / "lab", "--profile", way.profile) as lab:
        site = yaml.safe_load(lab.read_text())
        site["name"] = "my-site"
        site["product"] |= dict(way.product)
        file = folder / "my-site.yaml"
        file.write_text(yaml.safe_dump(site))
        return run_plans(folder / "results", "--site", str(file), "-n", "0", tests=way.tests)


def verdicts_on_the_lab():
    """What `--site=lab` gives: the plan without its exclusions passes."""
    return {each.id: "excluded" if each.exclusion else "passed" for each in load_plan(PLAN).scenarios}


@pytest.mark.parametrize("way", ["hco v1", "plain KubeVirt"])
def test_the_whole_plan_has_the_verdicts_it_has_on_the_lab(ended, way):
    assert ended[way].status == 0, ended[way].shown
    assert ended[way].verdicts == verdicts_on_the_lab()


def test_the_older_api_of_hyperconverged_will_do(ended):
    run = ended["hco v1beta1"]
    assert run.status == 0, run.shown
    ran = {name for name, verdict in run.verdicts.items() if verdict == "passed"}
    assert ran == {"VGPU-01", "VGPU-02", "VGPU-03", "VGPU-04", "VGPU-25", "VGPU-29", "VGPU-30", "VGPU-31"}


def test_a_plan_about_what_the_site_lacks_is_blocked_and_says_why(ended):
    run = ended["no cloud"]
    assert run.status == 1, run.shown
    assert set(run.verdicts.values()) == {"blocked"}
    assert {test["reason"] for test in run.told["tests"]} == {"site my-site has no openstack"}


@pytest.mark.parametrize("way", WAYS)
def test_results_name_the_site(ended, way):
    facts = ended[way].told["facts"]
    assert (facts["Target"], facts["Left behind"]) == ("my-site", "none")
    assert (facts["HyperConverged"] == "none") == (way == "plain KubeVirt")


@pytest.mark.parametrize("way", WAYS)
def test_no_credential_is_shown_or_kept(ended, way):
    folder = ended[way].results.parent
    files = [file.read_text() for file in ended[way].results.rglob("*") if file.is_file()]
    for kubeconfig in (folder / "lab").glob("*.kubeconfig"):
        (user,) = yaml.safe_load(kubeconfig.read_text())["users"]
        assert user["user"]["token"] not in ended[way].shown
        assert not any(user["user"]["token"] in text for text in files)
    assert "#cloud-config" not in "".join([ended[way].shown, *files])


@pytest.mark.parametrize("way", WAYS)
def test_a_good_run_says_nothing_but_its_results(ended, way):
    shown = ended[way].shown
    assert "warnings summary" not in shown
    assert "INFO" not in shown
