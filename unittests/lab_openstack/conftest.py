"""A cloud behind its front, and clients of it."""

import pytest

from lab.openstack.shape import AggregateShape, CloudShape, GroupShape, HostShape, ServerShape
from unittests.lab_openstack.live import Client, LiveCloud

SHAPE = CloudShape(
    hosts=tuple(HostShape(name=f"node-{number}") for number in (1, 2, 3)),
    groups=(GroupShape(name="apart", policy="anti-affinity"),),
    servers=(
        ServerShape(name="vm", count=3, host="node-1"),
        ServerShape(name="off", host="node-1", state="stopped"),
        ServerShape(name="broken", host="node-2", state="error", group="apart"),
        ServerShape(name="local", host="node-2", disk="local", project="admin"),
    ),
    aggregates=(AggregateShape(name="az1", hosts=("node-1",), zone="nova", metadata={"kind": "kvm"}),),
)


@pytest.fixture
def live():
    with LiveCloud(SHAPE) as running:
        yield running


@pytest.fixture
def admin(live) -> Client:
    return live.client()


@pytest.fixture
def demo(live) -> Client:
    """A member of the project demo."""
    return live.client("demo", "demo")


@pytest.fixture
def manager(live) -> Client:
    """A manager of the project demo."""
    return live.client("manager", "demo")
