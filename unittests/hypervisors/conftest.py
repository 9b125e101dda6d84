"""A lab with hypervisors, in a process of its own as a run of the plans has it, and those who act on it."""

from dataclasses import replace

import pytest

from utilities.clients import connected
from utilities.hypervisors import Hypervisors, Operator
from utilities.kubevirt.actor import Actor
from utilities.nova import connected_nova
from utilities.plugin.labprocess import LabChoice, running
from utilities.site import load_site


@pytest.fixture(scope="session")
def site_file(tmp_path_factory):
    with running(LabChoice("full"), tmp_path_factory.mktemp("hypervisors")) as path:
        yield path


@pytest.fixture(scope="session")
def site(site_file):
    return load_site(site_file)


@pytest.fixture(scope="session")
def admin(site):
    with connected(site) as clients:
        yield Actor(site, clients.admin)


@pytest.fixture(scope="session")
def hasty(admin):
    """An administrator whose deadlines are over in no time: on a site that is not faster than this machine's clock."""
    timeouts = admin.site.timeouts.model_copy(update={"in_service": 0.2})
    return replace(admin, site=admin.site.model_copy(update={"time_scale": 1, "timeouts": timeouts}))


@pytest.fixture(scope="session")
def nova(site):
    with connected_nova(site, "unit") as connected_cloud:
        yield connected_cloud


@pytest.fixture(scope="session")
def hypervisors(admin, nova):
    return Hypervisors(admin, nova)


@pytest.fixture(scope="session")
def operator(admin):
    return Operator(admin)
