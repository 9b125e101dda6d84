"""A real program as the process of the operator's Deployment; a small one stands in for it."""

import asyncio
import os
import shutil
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from lab.apiserver.builtin.kinds import DEPLOYMENT, POD
from lab.choice import Choice
from lab.clock import ManualClock
from lab.cluster import Cluster
from lab.hypervisor_operator.deployment import DEPLOYMENT_NAME, NAMESPACE
from lab.systems import SYSTEMS

from .composed import shape

PATIENCE = 60  # wall seconds for a program to start or end on a busy machine
STAND_IN = Path(__file__).with_name("stand_in.py")


class Lab:
    """A lab on a clock of the test's, whose operator is a program."""

    def __init__(self, cluster, clock):
        self.cluster, self.clock, self.api = cluster, clock, cluster.api

    async def until(self, happens):
        """Let product time pass until it happens; fails the test when it does not."""
        async with asyncio.timeout(PATIENCE):
            while not happens():
                self.clock.advance(1)
                await asyncio.sleep(0.01)

    def pods(self):
        return self.api.list(POD, NAMESPACE)

    def container(self):
        """Status of the container of the one pod."""
        statuses = [pod.get("status", {}).get("containerStatuses") or [{}] for pod in self.pods()]
        return statuses[0][0] if len(statuses) == 1 else {}

    def ready(self):
        return bool(self.container().get("ready"))

    def log(self, *, previous=False):
        (pod,) = self.pods()
        return [line.text for line in self.cluster.front.streams.log(pod, "manager", previous=previous)]

    def flags(self, *arguments):
        """Start it with flags beside those it has."""
        kept = self.api.get(DEPLOYMENT, NAMESPACE, DEPLOYMENT_NAME)["spec"]["template"]["spec"]["containers"][0]
        container = {**kept, "args": [*kept["args"], *arguments]}
        body = {"spec": {"template": {"spec": {"containers": [container]}}}}
        self.api.patch(DEPLOYMENT, NAMESPACE, DEPLOYMENT_NAME, body)


@asynccontextmanager
async def external(directory, program, *arguments):
    clock = ManualClock()
    choice = Choice(shape(arguments=arguments), externals=SYSTEMS.binaries((f"hypervisor-operator={program}",)))
    cluster = Cluster(choice, clock)
    try:
        await cluster.start(directory)
        yield Lab(cluster, clock)
    finally:
        await cluster.stop()


@pytest.fixture
def program(tmp_path, monkeypatch):
    """The stand-in, as a program of its own."""
    monkeypatch.setenv("LEAK", "a secret of whoever started the lab")
    path = tmp_path / "manager"
    path.write_text(STAND_IN.read_text().replace("#!/usr/bin/env python", f"#!{sys.executable}"))
    path.chmod(0o755)
    return path


def test_it_is_started_as_its_deployment_says(tmp_path, program):
    async def run():
        async with external(tmp_path / "lab", program, "--eviction-concurrency=4") as lab:
            await lab.until(lab.ready)
            started, login, leaked = lab.log()
            assert "--agent-namespaces=monsoon3 " in started
            assert " --eviction-concurrency=4 " in started
            assert " --leader-elect=false --metrics-bind-address=0 --health-probe-bind-address=127.0.0.1:" in started
            assert login == f"login {lab.cluster.openstack.front.auth_url} True {tmp_path}/lab/admin.kubeconfig"
            assert leaked == "leaked None"

    asyncio.run(run())


def test_other_flags_start_another_after_the_first_has_gone(tmp_path, program):
    async def run():
        async with external(tmp_path / "lab", program) as lab:
            await lab.until(lab.ready)
            (first,) = lab.pods()
            lab.flags("--eviction-concurrency=7")
            await lab.until(lambda: lab.ready() and lab.pods()[0]["metadata"]["name"] != first["metadata"]["name"])
            assert "--eviction-concurrency=7" in lab.log()[0]

    asyncio.run(run())


def test_one_that_ends_by_itself_is_started_again_and_told(tmp_path, program):
    async def run():
        async with external(tmp_path / "lab", program, "--zap-devel") as lab:
            await lab.until(lab.ready)
            lab.flags("--crash=yes")
            await lab.until(lambda: lab.container().get("restartCount", 0) > 1)
            assert lab.container()["lastState"]["terminated"]["exitCode"] == 3
            assert "--crash=yes" in lab.log(previous=True)[0]

    asyncio.run(run())


def test_a_file_that_is_no_program_of_this_machine(tmp_path):
    path = tmp_path / "manager"
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)

    async def run():
        async with external(tmp_path / "lab", path) as lab:
            await lab.until(lambda: "terminated" in lab.container().get("lastState", {}))
            assert lab.container()["lastState"]["terminated"]["exitCode"] == 126
            assert lab.log(previous=False)[0].startswith(str(path))

    asyncio.run(run())


def test_nothing_stays_when_the_lab_ends(tmp_path, program):
    async def run():
        async with external(tmp_path / "lab", program) as lab:
            await lab.until(lab.ready)
            return lab.cluster.openstack

    asyncio.run(run())
    found = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(program) in _content(path)]
    assert found == []


def _content(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def test_without_a_path_it_is_found_in_path(tmp_path, monkeypatch, program):
    shutil.copy(program, tmp_path / "openstack-hypervisor-operator")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = SYSTEMS.binaries(("hypervisor-operator",))
    assert found == {"hypervisor-operator": tmp_path / "openstack-hypervisor-operator"}
