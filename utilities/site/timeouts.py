"""How long things may take, in product seconds: what a real cluster needs. Defaults from the kubevirt sheet, §10."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, PositiveFloat


class Timeouts(BaseModel):
    """Deadlines for waits. All in product seconds; `Site.wall` turns them into seconds on the wall clock."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    vm_running: PositiveFloat = 240
    """From creating or starting a VM to its VMI Running."""
    vm_stopped: PositiveFloat = 240
    """From stopping or deleting a VM to its VMI gone."""
    agent: PositiveFloat = 720
    """From VMI Running to guest agent and interfaces reported."""
    ssh: PositiveFloat = 120
    """From interfaces reported to the first SSH answer, and to the first one after a move."""
    migration: PositiveFloat = 720
    """From creating a migration to its terminal phase."""
    node_drain: PositiveFloat = 1200
    """From the first request that a node's VMs go to the last one gone, if nothing stands in their way."""
    target_prepared: PositiveFloat = 120
    """From a scheduled target pod to TargetReady (5 to 20 s when healthy). Longer means preparation is broken."""
    unschedulable_target: PositiveFloat = 300
    """The product's own timeout for a target pod that fits nowhere; what the product promises, not what we allow."""
    pending_target: PositiveFloat = 900
    """The product's own timeout for any pending target pod."""
    abort: PositiveFloat = 30
    """The product's own limit for an abort to take effect."""
    target_domain: PositiveFloat = 60
    """The product's own limit for the guest to appear on the target after the copy."""
    progress: PositiveFloat = 150
    """The product's own limit for a migration without progress."""
    condition_recompute: PositiveFloat = 60
    """From a nudge of a VMI to its conditions computed anew."""
    config_pickup: PositiveFloat = 10
    """From a change of the KubeVirt object to every component using it."""
    reconcile: PositiveFloat = 60
    """For an operator to put back what somebody else changed."""
    product_ready: PositiveFloat = 600
    """From a configuration change to KubeVirt and HyperConverged both healthy again."""
    deletion: PositiveFloat = 240
    """From deleting an object to it being gone."""
    server_built: PositiveFloat = 300
    """From creating a server of Nova to ACTIVE."""
    server_changed: PositiveFloat = 120
    """From asking for another state of a server (stopped, paused) to being in it."""
    server_migration: PositiveFloat = 1800
    """From asking Nova for a migration to the server being elsewhere, or the attempt being over."""
    server_deleted: PositiveFloat = 240
    """From deleting a server to Nova not knowing it any more."""
    drain: PositiveFloat = 1800
    """From asking for maintenance of a hypervisor with a dozen servers to the end of its eviction."""
    in_service: PositiveFloat = 120
    """From ending maintenance of a hypervisor to being back in service."""
    traits: PositiveFloat = 120
    """From changing the traits a hypervisor is to have to having them."""
    operator_rollout: PositiveFloat = 300
    """From changing an operator's Deployment, or deleting its pod, to the new pod being at work."""
