"""A Kubernetes API and a cloud as real programs find them, each behind its own socket."""

import asyncio
import ssl

import pytest

from lab.controllers.decisions import Faults
from lab.cortex.conf import Conf
from lab.cortex.install import install as install_cortex
from lab.cortex.install import install_definitions as install_cortex_definitions
from lab.hypervisor_operator.install import Host, install_definitions
from lab.openstack.shape import CloudShape, HostShape, ServerShape
from unittests.apiserver_http.labserver import ADMIN, LabServer
from unittests.lab_cortex.test_flavor_groups import Flavor
from unittests.lab_openstack.live import LiveCloud
from unittests.lab_socket.doors import Doors
from unittests.lab_socket.line import PATIENCE, Line

HOST = Host("node001", "81fec8ad-77cb-4ebe-ae5c-a6a04b584a12", "e3a01339-87e3-4066-8bbb-912d36beaa59")
FLAVORS = (Flavor("gp.medium", 4, 16384, 0, {"quota:hw_version": "gp-v1"}),)
CLOUD = CloudShape(
    hosts=tuple(HostShape(name=f"node{number:03}") for number in (1, 2, 3)),
    servers=(
        ServerShape(name="vm", count=2, host="node001"),
        ServerShape(name="off", host="node001", state="stopped"),
    ),
)


@pytest.fixture
def kubernetes():
    """The API with the operator's kinds and one Hypervisor: (a line to it, the token of an administrator)."""
    with LabServer(lambda server: install_definitions(server.api, server.definitions, [HOST])) as server:
        context = ssl.create_default_context(cadata=server.front.authority.pem.decode())
        line = Line(server.front.url, context)
        yield line, ADMIN
        line.close()


def prepared_for_cortex(server):
    install_definitions(server.api, server.definitions, [HOST])
    install_cortex_definitions(server.api, server.definitions, FLAVORS)


@pytest.fixture
def cortex_kubernetes():
    """The API with what a real Cortex needs, and one Hypervisor: (a line to it, the token of an administrator)."""
    with LabServer(prepared_for_cortex) as server:
        context = ssl.create_default_context(cadata=server.front.authority.pem.decode())
        line = Line(server.front.url, context)
        yield line, ADMIN
        line.close()


@pytest.fixture
def cortex_doors():
    """The simulated Cortex without the steering weigher, beside its API: (a line to both, a token)."""
    made = []

    def prepare(server):
        prepared_for_cortex(server)
        conf = Conf(revision="R0")
        made.append(install_cortex(server.api, server.runtime, conf, faults=Faults(), seed=1).front)

    with LabServer(prepare) as server:
        (front,) = made
        asyncio.run_coroutine_threadsafe(front.start(), server.loop).result(PATIENCE)
        context = ssl.create_default_context(cadata=server.front.authority.pem.decode())
        doors = Doors(Line(server.front.url, context), Line(front.url))
        yield doors, ADMIN
        doors.close()
        asyncio.run_coroutine_threadsafe(front.stop(), server.loop).result(PATIENCE)


@pytest.fixture
def cloud():
    """A cloud on a clock of the test's: (a line to it, the cloud)."""
    with LiveCloud(CLOUD) as live:
        line = Line(live.url)
        yield line, live
        line.close()
