"""What the agents report, when, and that they leave the rest of the status alone."""

import pytest

from lab.controllers.decisions import Faults, Row
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.node_agent.agent import LOOKS, PERIOD
from lab.node_agent.machines import Machine
from lab.node_agent.quantities import binary, decimal
from lab.openstack.compute.records import Stage
from unittests.lab_node_agent.region import HOSTS, Region


def test_everything_cortex_reads_is_there():
    region = Region(vms=2)
    status = region.status("hv-1")
    assert status["numInstances"] == 2
    assert status["instances"][0] == {"active": True, "id": region.vm("vm-1").id, "name": "instance-00000001"}
    assert status["capacity"] == {"cpu": "64", "memory": "512Gi"}
    assert status["effectiveCapacity"] == {"cpu": "256", "memory": "512Gi"}
    assert status["allocation"] == {"cpu": "4", "memory": "8Gi"}
    assert status["capabilities"] == {"cpuArch": "x86_64", "cpus": "64", "memory": "512Gi"}
    assert status["domainCapabilities"]["hypervisorType"] == "ch"
    assert status["cells"][0]["allocation"] == {"cpu": "4", "memory": "8Gi"}
    assert region.status("hv-2")["instances"] == []
    assert region.hypervisor("hv-1")["metadata"]["labels"]["topology.kubernetes.io/zone"] == "az-1"


def test_overcommit_is_rounded_down():
    region = Region()
    region.api.patch(HYPERVISOR, "", "hv-1", {"spec": {"overcommit": {"cpu": 1.51, "memory": 1.3}}})
    region.clock.advance(1)
    status = region.status("hv-1")
    assert status["effectiveCapacity"]["cpu"] == "96"  # 96.64
    assert status["effectiveCapacity"]["memory"] == str(512 * 2**30 * 13 // 10)
    assert region.status("hv-2")["effectiveCapacity"]["cpu"] == "256"


def test_the_kind_of_machine_is_a_choice():
    status = Region(machine=Machine(hypervisor_type="kvm", features=("sev",))).status("hv-1")
    assert status["domainCapabilities"]["hypervisorType"] == "kvm"
    assert status["domainCapabilities"]["supportedFeatures"] == ["sev"]


def test_nothing_is_written_when_nothing_changed():
    region = Region(vms=3)
    before = [region.hypervisor(name)["metadata"]["resourceVersion"] for name in HOSTS]
    region.clock.advance(10 * PERIOD)
    assert [region.hypervisor(name)["metadata"]["resourceVersion"] for name in HOSTS] == before


def test_what_others_write_stays_and_what_they_overwrite_is_put_right():
    region = Region()
    region.api.patch(HYPERVISOR, "", "hv-1", {"status": {"traits": ["A"], "numInstances": 9}}, subresource="status")
    region.clock.advance(1)
    assert region.status("hv-1")["traits"] == ["A"]
    assert region.status("hv-1")["numInstances"] == 1


def test_both_hosts_list_a_server_while_it_is_copied_and_one_afterwards():
    region = Region()
    server = region.vm().id
    region.live()
    region.until(lambda: region.stands(Stage.PREPARING))
    region.clock.advance(0.5)
    assert region.listed("hv-2") == []
    copying = region.until(lambda: region.stands(Stage.COPYING))
    assert region.until(lambda: region.listed("hv-2") == [(server, True)]) - copying < 1
    assert region.listed("hv-1") == [(server, True)]
    assert region.status("hv-2")["allocation"] == {"cpu": "2", "memory": "4Gi"}
    landed = region.until(lambda: region.vm().host == "hv-2")
    assert region.until(lambda: region.listed("hv-1") == []) - landed < 1
    assert region.listed("hv-2") == [(server, True)]
    assert region.status("hv-1")["allocation"] == {"cpu": "0", "memory": "0"}


def test_an_attempt_that_fails_leaves_nothing_on_the_target():
    region = Region()
    region.live()
    region.until(lambda: region.listed("hv-2") != [])
    region.cloud.verbs.abort(region.vm(), str(region.record().id), region.caller, early=True)
    region.until(lambda: region.listed("hv-2") == [])
    assert region.listed("hv-1") == [(region.vm().id, True)]


def test_the_source_keeps_a_domain_that_is_off_until_a_cold_migration_is_confirmed():
    region = Region(state="stopped")
    server = region.vm().id
    assert region.listed("hv-1") == [(server, False)]
    region.cold()
    region.until(lambda: region.stands(Stage.FINISHED))
    region.clock.advance(1)
    assert (region.listed("hv-1"), region.listed("hv-2")) == ([(server, False)], [(server, False)])
    region.cloud.verbs.confirm(region.vm(), region.caller)
    region.until(lambda: region.listed("hv-1") == [])
    assert region.listed("hv-2") == [(server, False)]


def test_a_deleted_server_is_gone():
    region = Region()
    region.cloud.verbs.delete(region.vm(), region.caller)
    region.until(lambda: region.listed("hv-1") == [])
    assert region.status("hv-1")["numInstances"] == 0


def test_a_fault_is_a_row_in_front():
    late = Row("fault:agents are late", lambda look: bool(look.changed), lambda look: (look.write,), after=90.0)
    region = Region(faults=Faults({LOOKS.name: (late,)}))
    assert "status" not in region.hypervisor("hv-1")
    region.clock.advance(60)
    assert region.status("hv-1")["numInstances"] == 1


@pytest.mark.parametrize(
    ("amount", "memory", "count"),
    [(0, "0", "0"), (1, "1", "1"), (1024, "1Ki", "1024"), (2000, "2000", "2k"), (3 * 2**30, "3Gi", "3221225472"),
     (2**30 + 1, "1073741825", "1073741825"), (2**60, "1Ei", "1152921504606846976")],
)  # fmt: skip
def test_amounts_are_written_as_kubernetes_writes_them(amount, memory, count):
    assert (binary(amount), decimal(amount)) == (memory, count)
