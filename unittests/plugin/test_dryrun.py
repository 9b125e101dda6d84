"""What a dry run says of clouds and their hypervisors, and that it says nothing of those a site does not have."""

import pytest
import yaml

from utilities.plugin.dryrun import PLANS
from utilities.reversible import Registry
from utilities.site import load_site

OPERATOR = {"namespace": "operators", "deployment": "hypervisor-operator"}


@pytest.fixture
def described(tmp_path):
    """What would be changed on a site with these sections."""
    (tmp_path / "kubeconfig").write_text("{}")
    (tmp_path / "clouds.yaml").write_text("clouds: {qa: {}}")

    def describe(**sections):
        content = {"name": "s", "kind": "cluster", "kubernetes": {"kubeconfig": "kubeconfig"}, **sections}
        (tmp_path / "site.yaml").write_text(yaml.safe_dump(content))
        site = load_site(tmp_path / "site.yaml")
        used = ["nova", "hypervisors", "operator", "cortex", "stage", "arena"]
        return Registry(PLANS).describe(used, site).splitlines()

    return describe


def test_changes_of_a_cloud_are_said_beforehand(described):
    assert described(openstack={"clouds": "clouds.yaml", "cloud": "qa"}, hypervisor_operator=OPERATOR) == [
        "create servers migration-plans-* on cloud qa: they are migrated, and deleted with their volumes",
        "patch Hypervisor *: maintenance, custom traits; of hypervisors without servers of others, one after the other",
        "patch Deployment operators/hypervisor-operator: other concurrency flags; its pod is deleted to restart it",
    ]


def test_what_is_not_ours_or_not_there_is_not_changed(described):
    assert described(hypervisor_operator=OPERATOR | {"external": True}) == ["nothing would be changed"]


def test_changes_around_cortex_are_said_beforehand(described):
    told = described(cortex={"url": "http://c"})
    assert [line.partition(":")[0] for line in told] == [
        "create Decision migration-plans-*",
        "create Pipeline migration-plans-*",
        "create Hypervisor migration-plans-*",
        "create Reservation migration-plans-*",
        "create CommittedResource migration-plans-*",
    ]
    both = described(cortex={"url": "http://c"}, openstack={"clouds": "clouds.yaml", "cloud": "qa"})
    assert both[-1].startswith("create Reservation migration-plans-*: slots that fill all hypervisors of one zone")
