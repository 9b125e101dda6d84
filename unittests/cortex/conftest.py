"""A lab with Cortex in a process of its own, as a run of the plans has it."""

import pytest

from utilities.clients import connected
from utilities.cortex import connected_cortex
from utilities.kubevirt.actor import Actor
from utilities.plugin.labprocess import LabChoice, running
from utilities.site import load_site


@pytest.fixture(scope="session")
def site_file(tmp_path_factory):
    with running(LabChoice("full"), tmp_path_factory.mktemp("cortex")) as path:
        yield path


@pytest.fixture(scope="session")
def site(site_file):
    return load_site(site_file)


@pytest.fixture(scope="session")
def admin(site):
    with connected(site) as clients:
        yield Actor(site, clients.admin)


@pytest.fixture(scope="session")
def cortex(site, admin):
    with connected_cortex(site, admin, "unit") as found:
        yield found
