"""Each fault breaks what it says, in a whole cluster."""

import pytest

from lab.apiserver.auth.attributes import Attributes
from lab.apiserver.auth.identity import User
from lab.apiserver.auth.rbac import Authorizer
from lab.apiserver.builtin.kinds import EVENT, ROLE_BINDING
from lab.apiserver.errors import ApiError
from lab.clock import ManualClock
from lab.controllers.effects import perform
from lab.copying.memory import Load
from lab.faults import CATALOGUE, named, together
from lab.faults.guests import lose_gpu, restart_processes
from lab.guests import Gpu, GuestConfig, GuestMachine
from lab.kubevirt import roles
from lab.kubevirt.callers import Callers
from lab.kubevirt.domains import Domain
from lab.kubevirt.kinds import POLICY, VM, VMI, VMIM
from unittests.lab_kubevirt.world import ADMIN, PASSTHROUGH, VGPU, bare_api, configured
from unittests.lab_migration.whole import GATE, MI, Whole

FAIL = {"kubevirt.io/func-test-force-launcher-migration-failure": ""}
SLOW = {"bandwidthPerMigration": "64Mi", "completionTimeoutPerGiB": 15}
BUSY = Load(400 * MI, 256 * MI)


def broken(name, configuration=None, **migrations):
    """A cluster with that fault and a running VM `vm1`; keywords are settings of migrations."""
    if configuration is None:
        configuration = configured(gates=(GATE,), **({"migrations": migrations} if migrations else {}))
    cluster = Whole(configuration, together(named([name], CATALOGUE)))
    cluster.source = cluster.started()
    return cluster


def starved(cluster, seconds="40"):
    """No room anywhere else for a while: a migration that fails for it (or should)."""
    other = "gpu-2" if cluster.source == "gpu-1" else "gpu-1"
    for number in range(2):
        cluster.started(f"filler-{number}", nodeSelector={"kubernetes.io/hostname": other})
    cluster.migrate("starved", **{"kubevirt.io/migrationUnschedulablePodTimeoutSeconds": seconds})


def annotate(cluster, notes):
    """Annotations on the VMI."""
    cluster.api.patch(VMI, "qa", "vm1", {"metadata": {"annotations": notes}})


def modes(cluster):
    """Modes of the migration from now on."""
    seen = []

    def note(change):
        mode = change.new.obj["status"].get("migrationState", {}).get("mode")
        if mode and (not seen or seen[-1] != mode):
            seen.append(mode)

    cluster.api.listen(VMI, note)
    return seen


def told(cluster):
    """Reasons of all events about migrations and VMIs."""
    kinds = ("VirtualMachineInstance", "VirtualMachineInstanceMigration")
    return [e["reason"] for e in cluster.api.list(EVENT, "qa") if e["involvedObject"]["kind"] in kinds]


def test_gate_ignored():
    cluster = broken("gate_ignored", configured())
    assert cluster.condition("LiveMigratable")["status"] == "True"
    assert cluster.migrate()["metadata"]["uid"]


def test_gate_stale():
    cluster = broken("gate_stale")
    assert cluster.condition("LiveMigratable")["message"].endswith("VGPULiveMigration is not enabled")
    with pytest.raises(ApiError):
        cluster.migrate()


@pytest.mark.parametrize(
    ("name", "devices"),
    [
        ("two_gpus_migratable", {"gpus": (VGPU, VGPU)}),
        ("passthrough_migratable", {"gpus": (PASSTHROUGH,)}),
        ("host_device_migratable", {"gpus": (), "host_devices": (PASSTHROUGH,)}),
    ],
)
def test_devices_that_cannot_move(name, devices):
    cluster = Whole(faults=together(named([name], CATALOGUE)))
    cluster.started(**devices)
    assert cluster.condition("LiveMigratable")["status"] == "True"


def test_guest_lost_on_target():
    cluster = broken("guest_lost_on_target")
    uid = cluster.vmi()["metadata"]["uid"]
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    cluster.clock.advance(30)
    assert cluster.vmi() is None or cluster.vmi()["metadata"]["uid"] != uid


def test_guest_rebooted():
    cluster = broken("guest_rebooted")
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    assert "reboot" in cluster.domain().guest.calls


def test_heartbeat_stalled():
    cluster = broken("heartbeat_stalled")
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    cluster.clock.advance(80)
    assert not cluster.domain().running
    cluster.clock.advance(20)
    assert cluster.domain().running
    assert cluster.condition("Paused") is None


def test_mdev_not_rewritten():
    cluster = broken("mdev_not_rewritten")
    before = cluster.domain().mdev_uuid
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    assert cluster.domain().mdev_uuid == before


@pytest.fixture
def domain():
    """A booted guest with a GPU, in a domain, and the clock it runs on."""
    clock = ManualClock()
    gpu = Gpu("10de:1eb8", "GRID T4-2Q", "3b241101-e2bb-4255-8caf-4136c566a962")
    machine = GuestMachine(GuestConfig("vm", memory=2 << 30, gpu=gpu, boot_seconds=5.0), clock)
    clock.advance(10)
    return Domain("uid", "qa", "vm", "node", "pod", machine), clock


def test_vgpu_lost_on_target(domain):
    found, _ = domain
    lose_gpu(found)
    assert found.guest.hardware.gpu is None


def test_process_restarted(domain):
    found, clock = domain
    found.guest.run("nohup sleep 1000 > /dev/null 2>&1 &")
    clock.advance(2)

    def sleeper():
        return [process.pid for process in found.guest.processes() if process.name == "sleep" and process.alive]

    before = sleeper()
    assert len(before) == 1
    restart_processes(found)
    clock.advance(2)
    after = sleeper()
    assert len(after) == 1
    assert after != before


def test_paused_left_after_a_failure():
    cluster = broken("paused_left_after_migration")
    annotate(cluster, FAIL)
    cluster.migrate()
    assert cluster.ended() == "Failed"
    cluster.clock.advance(20)
    assert not cluster.domain().running


def test_paused_left_after_mode_paused():
    cluster = broken("paused_left_after_migration", allowWorkloadDisruption=True, **SLOW)
    cluster.load = BUSY
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    cluster.clock.advance(20)
    assert not cluster.domain().running


@pytest.mark.parametrize(
    ("name", "settings", "seen", "ends"),
    [
        ("awd_ignored", {"allowWorkloadDisruption": True}, ["PreCopy"], "Failed"),
        ("awd_without_permission", {}, ["PreCopy", "Paused"], "Succeeded"),
        ("postcopy_for_vfio", {"allowPostCopy": True}, ["PreCopy", "PostCopy"], "Succeeded"),
    ],
)
def test_beyond_the_acceptable_time(name, settings, seen, ends):
    cluster = broken(name, **SLOW, **settings)
    cluster.load = BUSY
    shown = modes(cluster)
    cluster.migrate()
    assert cluster.ended() == ends
    assert shown == seen


def test_abort_ignored():
    cluster = broken("abort_ignored", bandwidthPerMigration="8Mi", completionTimeoutPerGiB=0)
    cluster.migrate()
    cluster.until(lambda: cluster.phase() == "Running", 60)
    cluster.api.delete(VMIM, "qa", "move", caller=ADMIN)
    cluster.clock.advance(100)
    assert cluster.phase() == "Running"
    cluster.api.delete(VM, "qa", "vm1", caller=ADMIN)
    cluster.until(lambda: cluster.vmi() is None, 200)
    cluster.clock.advance(30)
    assert (cluster.phase(), cluster.pods()) == ("gone", [])


def policy(cluster, **spec):
    """A policy for vm1."""
    selectors = {"virtualMachineInstanceSelector": {"app": "vm1"}}
    manifest = {"metadata": {"name": "slow"}, "spec": {"selectors": selectors, **spec}}
    cluster.api.create(POLICY, manifest, caller=ADMIN)


def test_policy_ignored():
    cluster = broken("policy_ignored")
    policy(cluster, bandwidthPerMigration="64Mi")
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    assert "migrationPolicyName" not in cluster.state()
    assert cluster.state()["migrationConfiguration"]["bandwidthPerMigration"] == "0"


def test_policy_live_reload():
    cluster = broken("policy_live_reload")
    policy(cluster, bandwidthPerMigration="8Mi", completionTimeoutPerGiB=0)
    cluster.migrate()
    cluster.until(lambda: cluster.phase() == "Running", 60)
    cluster.api.patch(POLICY, "", "slow", {"spec": {"bandwidthPerMigration": "1Gi"}}, caller=ADMIN)
    cluster.clock.advance(5)
    cluster.api.delete(VMIM, "qa", "move", caller=ADMIN)
    cluster.until(lambda: cluster.phase() == "gone", 60)
    assert cluster.state()["migrationConfiguration"]["bandwidthPerMigration"] == "1Gi"


def test_unschedulable_never_times_out():
    cluster = broken("unschedulable_never_times_out")
    starved(cluster)
    cluster.clock.advance(1500)
    assert cluster.phase("starved") == "Scheduling"


def test_capacity_never_returns():
    cluster = broken("capacity_never_returns")
    starved(cluster)
    assert cluster.ended("starved") == "Failed"
    for number in range(2):
        cluster.api.delete(VM, "qa", f"filler-{number}", caller=ADMIN)
    cluster.clock.advance(60)
    cluster.migrate("again")
    cluster.clock.advance(600)
    assert cluster.phase("again") == "Pending"


def test_source_killed_on_failure():
    cluster = broken("source_killed_on_failure")
    uid = cluster.vmi()["metadata"]["uid"]
    starved(cluster)
    assert cluster.ended("starved") == "Failed"
    cluster.clock.advance(60)
    assert cluster.vmi() is None or cluster.vmi()["metadata"]["uid"] != uid


def test_target_pod_leaked_without_room():
    cluster = broken("target_pod_leaked")
    starved(cluster)
    assert cluster.ended("starved") == "Failed"
    cluster.clock.advance(60)
    assert len([pod for pod in cluster.live_pods() if pod["metadata"]["labels"].get("app") == "vm1"]) == 2


@pytest.mark.parametrize("phase", ["Scheduling", "Running"])
def test_target_pod_leaked_after_an_abort(phase):
    cluster = broken("target_pod_leaked", bandwidthPerMigration="8Mi", completionTimeoutPerGiB=0)
    cluster.migrate()
    cluster.until(lambda: cluster.phase() == phase, 60)
    cluster.api.delete(VMIM, "qa", "move", caller=ADMIN)
    cluster.until(lambda: cluster.phase() == "gone", 60)
    cluster.clock.advance(60)
    assert len(cluster.live_pods()) == 2
    assert sum(used.get(VGPU, 0) for used in cluster.in_use().values()) == 2


def test_source_device_leaked():
    cluster = broken("source_device_leaked")
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    cluster.clock.advance(120)
    assert cluster.in_use() == {"gpu-1": {VGPU: 1}, "gpu-2": {VGPU: 1}}
    cluster.api.delete(VM, "qa", "vm1", caller=ADMIN)
    cluster.until(lambda: cluster.pods() == [], 200)


def test_success_event_missing():
    cluster = broken("success_event_missing")
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    assert cluster.vmi()["status"]["nodeName"] != cluster.source
    assert not {"SuccessfulMigration", "Migrated"} & set(told(cluster))


def test_failure_event_missing():
    cluster = broken("failure_event_missing")
    annotate(cluster, FAIL)
    cluster.migrate()
    assert cluster.ended() == "Failed"
    cluster.clock.advance(5)
    assert not {"FailedMigration", "Migrated"} & set(told(cluster))
    assert cluster.state()["failed"] is True


def test_failure_unreported():
    cluster = broken("failure_unreported")
    starved(cluster)
    assert cluster.ended("starved") == "Failed"
    assert not {"FailedMigration", "migrationTargetPodUnschedulable"} & set(told(cluster))


def test_failure_reported_as_success():
    cluster = broken("failure_reported_as_success")
    annotate(cluster, FAIL)
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    assert cluster.state()["failed"] is True


def test_printable_status_wrong():
    cluster = broken("printable_status_wrong")
    seen = set()
    cluster.api.listen(VM, lambda change: seen.add(change.new.obj["status"].get("printableStatus")))
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    cluster.clock.advance(5)
    assert seen == {"Starting", "Running"}


def test_hook_gate_unreported():
    cluster = broken("hook_gate_unreported", configured((GATE,), disabled=("LibvirtHooksServerAndClient",)))
    cluster.migrate()
    cluster.clock.advance(200)
    assert cluster.phase() == "PreparingTarget"
    assert "SyncFailed" not in told(cluster)


MIGRATE = Attributes("create", "kubevirt.io", "virtualmachineinstancemigrations", namespace="qa")
CONFIGURE = Attributes("patch", "hco.kubevirt.io", "hyperconvergeds", namespace="openshift-cnv", name="x")


@pytest.mark.parametrize(
    ("name", "role", "wanted", "sound"),
    [
        ("anyone_switches_gates", "kubevirt.io:admin", CONFIGURE, False),
        ("anyone_migrates", "kubevirt.io:admin", MIGRATE, False),
        ("migrate_role_ineffective", "kubevirt.io:migrate", MIGRATE, True),
    ],
)
def test_access(name, role, wanted, sound):
    tester = User("tester", ("system:authenticated",))
    (fault,) = named([name], CATALOGUE)
    for at_start, expected in (((), sound), (fault.at_start, not sound)):
        api = bare_api()
        roles.install(api, Callers("openshift-cnv"), with_hco=True)
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
        subjects = [{"kind": "User", "name": "tester"}]
        binding = {"metadata": {"name": "b", "namespace": "qa"}, "roleRef": reference, "subjects": subjects}
        api.create(ROLE_BINDING, binding)
        perform(at_start, api, ADMIN)
        assert Authorizer(api.store).decide(tester, wanted).allowed is expected
