"""From the VMI to the launcher's order: options, sizes, and what stands in the way (kubevirt sheet §5, §8.4)."""

from __future__ import annotations

from lab.kubevirt.config import KubeVirtConfig, Migrations, effective
from lab.kubevirt.domains import Domain
from lab.kubevirt.facts import Json, annotation, compute_arguments, gpus, has_vfio, migration_state, uid
from lab.kubevirt.gates import STALL_DETECTION
from lab.kubevirt.launcher_pod import VGPU_ARG, guest_memory
from lab.kubevirt.migration.job import Order
from lab.kubevirt.migration.memory import data_size
from lab.kubevirt.migration.names import FORCE_FAILURE_ANNOTATION

_MEBI = 2**20


def options_of(state: Json, config: KubeVirtConfig) -> Migrations:
    """The options written at hand-off; without any, the cluster's."""
    written = state.get("migrationConfiguration")
    if written is None:
        return config.migrations
    return effective({"spec": {"configuration": {"migrations": written}}}).migrations


def order_for(vmi: Json, target_pod: Json, domain: Domain, config: KubeVirtConfig) -> Order:
    """What the source launcher is asked to do."""
    state = migration_state(vmi)
    options = options_of(state, config)
    return Order(
        uid=state["migrationUid"],
        memory=guest_memory(vmi),
        acceptable=options.completion_timeout_per_gib * data_size(vmi),
        progress_timeout=options.progress_timeout,
        bandwidth_cap=options.bandwidth // _MEBI * _MEBI,  # libvirt takes whole MiB; less than one is no cap
        auto_converge=options.allow_auto_converge,
        post_copy=options.allow_post_copy,
        disruption=options.allow_workload_disruption,
        vfio=has_vfio(vmi),
        target_node=state["targetNode"],
        target_pod_uid=uid(target_pod),
        blocked_by=_obstacle(vmi, target_pod, domain, config),
    )


def _obstacle(vmi: Json, target_pod: Json, domain: Domain, config: KubeVirtConfig) -> str:
    """Why the job fails at its start, "" if it does not."""
    if annotation(vmi, FORCE_FAILURE_ANNOTATION) is not None:
        return "Failed migration to satisfy functional test condition"
    if config.on(STALL_DETECTION):
        return f"the lab does not simulate {STALL_DETECTION}"
    experimental = (migration_state(vmi).get("migrationConfiguration") or {}).get("experimental") or {}
    if experimental.get("compression", "none") != "none":
        return f"the lab does not simulate migration compression {experimental['compression']}"
    if gpus(vmi) and domain.pci:
        return "unsupporting gpu type for migration: pci"
    if domain.mdevs and VGPU_ARG not in compute_arguments(target_pod):
        return f"device not found: mediated device '{domain.mdevs[0]}' not found"  # the source's, not rewritten
    return ""
