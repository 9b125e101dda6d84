"""A Kubernetes API and a cloud as a real operator finds them, each behind its own socket."""

import ssl

import pytest

from lab.hypervisor_operator.install import Host, install_definitions
from lab.openstack.shape import CloudShape, HostShape, ServerShape
from unittests.apiserver_http.labserver import ADMIN, LabServer
from unittests.lab_openstack.live import LiveCloud
from unittests.lab_socket.line import Line

HOST = Host("node001", "81fec8ad-77cb-4ebe-ae5c-a6a04b584a12", "e3a01339-87e3-4066-8bbb-912d36beaa59")
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


@pytest.fixture
def cloud():
    """A cloud on a clock of the test's: (a line to it, the cloud)."""
    with LiveCloud(CLOUD) as live:
        line = Line(live.url)
        yield line, live
        line.close()
