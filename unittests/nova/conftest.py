"""A cloud of the lab on a clock that the tests drive, and a connection to it."""

import pytest

from lab.openstack.shape import CloudShape, HostShape, NovaOptions
from utilities.nova import Nova, connect_cloud
from utilities.nova.polling import Polls
from utilities.site import Timeouts

from ..lab_openstack.live import LiveCloud

SHAPE = CloudShape(
    hosts=tuple(HostShape(name=f"node-{number}") for number in (1, 2, 3)),
    nova=NovaOptions(max_concurrent_live_migrations=4),
    token_lifetime=1e9,  # the library compares with the clock of this machine
)


@pytest.fixture
def live(tmp_path):
    with LiveCloud(SHAPE, directory=tmp_path) as running:
        yield running


@pytest.fixture
def cloud(live):
    with connect_cloud(live.clouds_yaml, "lab", request_timeout=20) as connected:
        yield connected


@pytest.fixture
def polls(live):
    """Waits that let the lab's clock go on instead of the machine's."""
    return Polls(lambda seconds: seconds, every=0.5, now=live.clock.now, pause=live.advance)


@pytest.fixture
def nova(live, cloud, polls):
    return Nova.of(cloud, polls, Timeouts(), run="run-1", journal=f"{live.url}/lab/journal")


@pytest.fixture
def servers(nova):
    return nova.servers
