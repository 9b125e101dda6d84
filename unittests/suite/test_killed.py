"""Runs on a shared cluster that are killed with SIGKILL in the middle of a test, and what gives the cluster back."""

import json
import re
import signal
from contextlib import contextmanager

import pytest

from utilities.clients import KUBEVIRTS, NODES, connected, hyperconvergeds
from utilities.hypervisors.inventory import inventory as of_hypervisors
from utilities.hypervisors.kinds import DEPLOYMENTS, HYPERVISORS
from utilities.kubevirt.inventory import inventory, left_since
from utilities.nova import connected_nova
from utilities.nova.inventory import inventory as of_nova
from utilities.sharing.census import Census, journal_name
from utilities.sharing.journal import RunJournal
from utilities.sharing.lock import LeaseFile
from utilities.site import load_site

from .processes import run_module, run_plans, standing_lab

PLAN = "tests/mdev_vgpu_live_migration"
TEST = "test_gate_cannot_be_flipped"
DIE = """

@pytest.fixture(autouse=True)
def killed_in_the_middle(admin, nova, gate_on, namespace):
    import os
    import signal

    from utilities.drains.cordons import cordoned
    from utilities.hypervisors import Hypervisors, Operator
    from utilities.kubevirt.configuration import Configuration

    hypervisors = Hypervisors(admin, nova)
    with (
        Configuration(admin).migrations(parallelMigrationsPerCluster=1),
        cordoned(admin, "gpu-t4-1"),
        Operator(admin).with_flags(concurrency=3),
        nova.servers.created("vm", on="hv-2", count=2),
        hypervisors.with_traits("hv-2", "CUSTOM_LEFT"),
        nova.hosts.disabled("hv-3"),
        hypervisors.drained("hv-1") as drain,
    ):
        drain.wait_evicted()
        os.kill(os.getpid(), signal.SIGKILL)
        yield
"""
KEPT = (  # of each object that a run changes, what it has to be as before
    (HYPERVISORS, ("spec",)),
    (hyperconvergeds("v1"), ("spec", "annotations")),
    (KUBEVIRTS, ("spec",)),
    (DEPLOYMENTS, ("spec",)),
    (NODES, ("spec",)),
)


class Lab:
    """A lab started by hand, looked at from outside."""

    def __init__(self, file, admin, nova):
        self.file, self._admin, self._nova = file, admin, nova
        self.namespace = load_site(file).kubernetes.lock_namespace

    def objects(self):
        """Specs and the like of what runs change, and the state of compute services."""
        found = {
            f"{resource} {item['metadata']['name']} {part}": item.get(part) or item["metadata"].get(part)
            for resource, parts in KEPT
            for item in self._admin.rest.list(resource)["items"]
            for part in parts
        }
        return json.loads(json.dumps(found)) | {host.name: host.state for host in self._nova.hosts.all()}

    def things(self):
        """What exists, and what a cloud can be left with."""
        return inventory(self._admin.rest) | of_hypervisors(self._admin.rest) | of_nova(self._nova)

    def census(self):
        """Runs that have something here."""
        return Census.taken(self._admin.rest, self.namespace)

    def abandon(self, run):
        """Let a run be seen to be gone at once: nobody is on its journal."""
        file = LeaseFile(self._admin.rest, journal_name(run), self.namespace)
        RunJournal.claimed(self.census().journals[run], file, "somebody").close()

    @contextmanager
    def unchanged(self):
        """Demand that it is as before afterwards."""
        objects, things = self.objects(), self.things()
        yield
        assert self.objects() == objects
        assert left_since(things, self.things()) == []
        assert self.census().runs() == frozenset()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with standing_lab(tmp_path_factory.mktemp("lab")) as file:
        site = load_site(file)
        with connected(site) as clients, connected_nova(site, "outside") as nova:
            yield Lab(file, clients.admin, nova)


def kill_a_run(lab, tree, results):
    """Have one killed with everything changed; returns its name."""
    conftest = tree / PLAN / "conftest.py"
    whole = conftest.read_text()
    conftest.write_text(whole + DIE)
    ended = run_plans(results, "--site", str(lab.file), "-n", "0", "-k", TEST, tests=(PLAN,), root=tree)
    conftest.write_text(whole)
    assert ended.status == -signal.SIGKILL, ended.shown
    (run,) = lab.census().journals
    return run


def recovery(lab, *arguments):
    """`python -m utilities.recovery`."""
    return run_module("utilities.recovery", "--site", str(lab.file), *arguments)


def test_the_command_gives_back_what_a_killed_run_has_changed(lab, tree, tmp_path):
    before = lab.objects()
    with lab.unchanged():
        run = kill_a_run(lab, tree, tmp_path / "killed")
        changed = lab.objects(), lab.things()
        assert {name.split()[0] for name, value in changed[0].items() if value != before.get(name)} == {
            "hyperconvergeds.hco.kubevirt.io", "kubevirts.kubevirt.io", "nodes", "deployments.apps",
            "hypervisors.kvm.cloud.sap", "hv-1", "hv-2", "hv-3",
        }  # fmt: skip
        listed = recovery(lab, "--list")
        assert listed.status == 1, listed.shown
        assert re.search(rf"^run {run}: \d+ changes, locks: .*vgpu-gate-users$", listed.shown, re.MULTILINE)
        for what in ("Node gpu-t4-1", "servers migration-plans-", "Hypervisor hv-1", "compute service of hv-3"):
            assert f"  {what}" in listed.shown, listed.shown
        assert (lab.objects(), lab.things()) == changed, "a list changes nothing"

        done = recovery(lab, "--now", run)
        assert done.status == 0, done.shown
        assert re.search(rf"^taken back from run {run}: Hypervisor hv-1; hypervisor hv-1; ", done.shown, re.MULTILINE)
        assert f"taken back from run {run}: vgpu-gate" in done.shown
    assert recovery(lab, "--list").status == 0
    again = recovery(lab, "--now", run)
    assert (again.status, "Traceback" in again.shown) == (2, False)
    assert f"no run called {run} has anything here" in again.shown


def test_the_next_run_takes_it_back_before_it_begins_and_says_so(lab, tree, tmp_path):
    with lab.unchanged():
        run = kill_a_run(lab, tree, tmp_path / "killed")
        lab.abandon(run)
        ended = run_plans(
            tmp_path / "next", "--site", str(lab.file), "-n", "0", "-k", TEST, tests=(PLAN,), root=tree
        )  # fmt: skip
        assert ended.status == 0, ended.shown
        assert re.search(rf"^taken back from run {run}: Hypervisor hv-1; ", ended.shown, re.MULTILINE), ended.shown


def test_what_needs_a_cloud_stays_where_there_is_none(lab, tree, tmp_path):
    with lab.unchanged():
        run = kill_a_run(lab, tree, tmp_path / "killed")
        text = lab.file.read_text()
        without = tmp_path / "without-cloud.yaml"
        without.write_text(re.sub(r"^(openstack|cortex):\n(?:[ ].*\n)*", "", text, flags=re.MULTILINE))
        done = run_module("utilities.recovery", "--site", str(without), "--now", run)
        assert done.status == 1, done.shown
        assert re.search(r"not taken back from run .*: servers migration-plans-.* has no openstack", done.shown)
        left = {kept.entry.kind for kept in lab.census().entries(run).values()}
        assert left == {"servers", "compute-service", "known-traits", "hypervisor-in-service", "hypervisor-traits"}
        assert recovery(lab).status == 0


def test_a_site_that_cannot_be_read_is_wrong_input(tmp_path):
    done = run_module("utilities.recovery", "--site", str(tmp_path / "none.yaml"))
    assert (done.status, "Traceback" in done.shown) == (2, False)
