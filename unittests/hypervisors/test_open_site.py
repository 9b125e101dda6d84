"""A run's way to a site with a cloud: what it offers, what it is, and what was left behind there."""

from types import SimpleNamespace

import pytest

from utilities.errors import Blocked
from utilities.plugin.sites import OpenSite


@pytest.fixture
def opened(site_file):
    """The site as a run has it that was pointed to it by its file."""
    found = OpenSite(SimpleNamespace(option=SimpleNamespace(site=str(site_file), lab_shared=False)))
    yield found
    found.close()


@pytest.fixture
def alone(site_file):
    """The same as a run has it that the lab was started for."""
    found = OpenSite(SimpleNamespace(option=SimpleNamespace(site="lab", lab_shared=False)))
    found.__dict__["file"] = site_file
    yield found
    found.close()


def test_needs_of_a_cloud_are_counted(opened, hypervisors):
    opened.require({"openstack": 1, "hypervisors": 8, "free_hypervisors": 7, "parallel_eviction": True})
    with hypervisors.drained("hv-1") as drain:
        drain.wait_evicted()
        del opened.__dict__["cloud_capabilities"]
        with pytest.raises(Blocked, match=r"site lab full lacks hypervisors 8 \(offers 7\)"):
            opened.require({"openstack": 1, "hypervisors": 8})


def test_a_site_without_a_cloud_blocks_what_needs_one(opened, site):
    opened.__dict__["site"] = site.model_copy(update={"openstack_section": None})
    with pytest.raises(Blocked, match="site lab full has no openstack"):
        opened.require({"openstack": 1})
    assert opened.cloud_facts() == {}


def test_reports_say_what_the_cloud_and_its_operator_are(opened):
    _ = opened.actors
    assert "Nova microversion" not in opened.observed  # nobody has asked the cloud yet
    _ = opened.nova
    told = opened.observed
    assert told["Nova microversion"] == "2.95"
    assert "/openstack-hypervisor-operator:" in told["Hypervisor operator"]
    assert told["Kubernetes"]


def test_a_clean_run_leaves_nothing_although_the_operator_was_restarted(opened, operator):
    _ = opened.actors, opened.nova
    operator.restart()
    opened.close()
    assert opened.leftovers == ()


def leaving(opened, nova, hypervisors):
    """What a run is told that ends while all of this is there."""
    _ = opened.actors, opened.nova
    with (
        nova.servers.created("vm", on="hv-2"),
        hypervisors.with_traits("hv-2", "CUSTOM_LEFT"),
        hypervisors.drained("hv-1") as drain,
    ):
        drain.wait_evicted()
        opened.close()
    return opened.leftovers


def test_what_a_run_leaves_on_its_own_lab_is_told(alone, nova, hypervisors):
    told = leaving(alone, nova, hypervisors)
    assert told == (
        "evictions.kvm.cloud.sap hv-1",
        "disabled compute service hv-1",
        "maintenance of hypervisor hv-1",
        told[3],
        "trait CUSTOM_LEFT",
        "trait hv-2/CUSTOM_LEFT",
    )
    assert told[3].startswith("server migration-plans-unit-vm-")


def test_what_others_leave_on_a_lab_of_many_is_not(opened, nova, hypervisors):
    assert leaving(opened, nova, hypervisors) == ()
