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


def test_what_a_run_leaves_on_cloud_and_hypervisors_is_told(opened, nova, hypervisors):
    _ = opened.actors, opened.nova
    with (
        nova.servers.created("vm", on="hv-2"),
        hypervisors.with_traits("hv-2", "CUSTOM_LEFT"),
        hypervisors.drained("hv-1") as drain,
    ):
        drain.wait_evicted()
        opened.close()
    assert opened.leftovers == (
        "evictions.kvm.cloud.sap hv-1",
        "disabled compute service hv-1",
        "maintenance of hypervisor hv-1",
        opened.leftovers[3],
        "trait CUSTOM_LEFT",
        "trait hv-2/CUSTOM_LEFT",
    )
    assert opened.leftovers[3].startswith("server migration-plans-unit-vm-")
