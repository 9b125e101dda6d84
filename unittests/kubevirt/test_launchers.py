"""The current launcher is the active one on the VMI's node, and its domain names the mediated device."""

import pytest

from utilities.errors import NotFound, SiteError
from utilities.kubevirt.launchers import Launchers, mdev_of

from .acting import MemoryRest, Remembering

MDEV = """
<domain type="kvm"><devices>
  <hostdev mode="subsystem" type="pci"><source><address domain="0x0000" bus="0x86"/></source></hostdev>
  <hostdev mode="subsystem" type="mdev" model="vfio-pci">
    <source><address uuid="4b20d080-1b54-4048-85b3-a6a62d165c01"/></source><alias name="ua-gpu-gpu0"/>
  </hostdev>
</devices></domain>
"""


def pod(name, node, phase="Running"):
    return {
        "metadata": {"name": name, "uid": f"uid-{name}"},
        "spec": {"nodeName": node},
        "status": {"phase": phase},
    }


def launchers(*pods, node="one", active=("uid-a",)):
    vmi = {"status": {"nodeName": node, "activePods": dict.fromkeys(active, node)}}
    rest = MemoryRest({("virtualmachineinstances", "vm"): vmi}, {"pods": list(pods)})
    return Launchers(Remembering(rest), "qa", "vm", "uid-vmi")


def test_the_device_is_the_mediated_one():
    assert mdev_of(MDEV) == "4b20d080-1b54-4048-85b3-a6a62d165c01"


@pytest.mark.parametrize("domain", ["<domain/>", MDEV.replace('type="mdev"', 'type="pci"'), MDEV.replace("uuid", "id")])
def test_a_domain_without_one_has_none(domain):
    assert mdev_of(domain) is None


@pytest.mark.parametrize("text", ["", "error: failed to get domain"])
def test_what_is_no_domain_is_said(text):
    with pytest.raises(SiteError, match="virsh dumpxml gave no XML"):
        mdev_of(text)


def test_the_current_pod_is_active_and_where_the_machine_is():
    found = launchers(pod("z", "two"), pod("a", "one"), active=("uid-a", "uid-z"))
    assert found.current()["metadata"]["name"] == "a"


@pytest.mark.parametrize(
    "pods", [(), (pod("a", "one", "Succeeded"),), (pod("a", "two"),), (pod("other", "one"),)], ids=str
)
def test_without_such_a_pod_there_is_none(pods):
    with pytest.raises(NotFound, match="VMI qa/vm has no launcher pod on one"):
        launchers(*pods).current()


def test_those_that_have_ended_do_not_count():
    found = launchers(
        pod("a", "one"), pod("b", "one", "Failed"), pod("c", "two", "Succeeded"), pod("d", "two", "Pending")
    )
    assert [each["metadata"]["name"] for each in found.unfinished()] == ["a", "d"]


def test_every_other_unfinished_pod_is_removed():
    found = launchers(pod("a", "one"), pod("b", "two"), pod("c", "two", "Failed"))
    found.remove_others()
    assert found.cluster.rest.written == [("delete", "pods", "b", "qa", "uid-b")]
