"""What the VMIM controller sees when it looks at one migration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import NAMESPACE, NODE, POD
from lab.controllers.effects import Ref
from lab.controllers.index import Index, by_label
from lab.kubevirt.config import KubeVirtConfig
from lab.kubevirt.facts import (
    Json,
    active_pods,
    annotation,
    created,
    current_pod,
    is_deleting,
    is_final,
    migration_state,
    node_of,
    owns_state,
    phase,
    pod_is_pending,
    pod_is_unschedulable,
    target_pod,
    uid,
    vmi_name,
)
from lab.kubevirt.kinds import POLICY, VMI, VMIM
from lab.kubevirt.migration.limits import FREE, Contender, Queue, Slots, backoff_end
from lab.kubevirt.migration.names import (
    CREATED_BY_LABEL,
    HANDED_OFF,
    PENDING,
    PENDING_TIMEOUT_ANNOTATION,
    SCHEDULING,
    UNSCHEDULABLE_TIMEOUT_ANNOTATION,
    UTILITY_VOLUMES_TIMEOUT_ANNOTATION,
    VMI_NAME_LABEL,
)
from lab.kubevirt.migration.policies import Settings

UNSCHEDULABLE_TIMEOUT = 300  # product seconds since the pod's creation (sheet §4.6)
PENDING_TIMEOUT = 900
COMPONENT = "virtualmachine-controller"


@dataclass(frozen=True, slots=True)
class MigrationView:
    """One VMIM and everything its next step depends on."""

    migration: Json
    vmi: Json | None
    now: float
    stamp: str
    config: KubeVirtConfig
    settings: Settings
    pod: Json | None = None  # the target pod
    source_pod: Json | None = None
    node: Json | None = None  # the VMI's
    active_pods: int = 0
    backoff_until: float = 0.0
    slots: Slots = FREE
    siblings: tuple[Json, ...] = field(default=(), repr=False)  # all VMIMs of the VMI, this one included

    @property
    def phase(self) -> str:
        """Phase of the VMIM."""
        return phase(self.migration)

    @property
    def ref(self) -> Ref:
        """The VMIM."""
        return Ref(VMIM, self.migration["metadata"]["namespace"], self.migration["metadata"]["name"])

    @property
    def there(self) -> Json:
        """The VMI; only rows behind the one for a missing VMI may ask."""
        if self.vmi is None:
            raise LookupError(f"VMIM {self.ref.namespace}/{self.ref.name} has no VMI")
        return self.vmi

    @property
    def vmi_ref(self) -> Ref:
        """The VMI."""
        return Ref(VMI, self.ref.namespace, vmi_name(self.migration))

    @property
    def state(self) -> Json:
        """The VMI's migrationState, empty if there is none."""
        return {} if self.vmi is None else migration_state(self.vmi)

    @property
    def owns_state(self) -> bool:
        """Whether that migrationState is this VMIM's."""
        return self.vmi is not None and owns_state(self.migration, self.vmi)

    @property
    def handed_off(self) -> bool:
        """Whether virt-handlers work on it: cancelling then means aborting."""
        return self.owns_state or self.phase in HANDED_OFF

    @property
    def deleting(self) -> bool:
        """Whether the user wants it cancelled."""
        return is_deleting(self.migration)

    @property
    def rival(self) -> bool:
        """Whether another VMIM that is not final owns the migrationState."""
        owner = self.state.get("migrationUid")
        return (
            bool(owner)
            and owner != uid(self.migration)
            and any(uid(other) == owner and not is_final(other) for other in self.siblings)
        )

    @property
    def unschedulable_at(self) -> float:
        """When the target pod's time to find a node is up."""
        return self._pod_deadline(UNSCHEDULABLE_TIMEOUT_ANNOTATION, UNSCHEDULABLE_TIMEOUT)

    @property
    def pending_at(self) -> float:
        """When the target pod's time to start is up."""
        return self._pod_deadline(PENDING_TIMEOUT_ANNOTATION, PENDING_TIMEOUT)

    @property
    def age(self) -> int:
        """Whole product seconds since the VMIM's creation."""
        return int(self.now - created(self.migration))

    @property
    def utility_volumes(self) -> bool:
        """Whether volumes must be detached first."""
        return bool(self.there["spec"].get("utilityVolumes"))

    @property
    def utility_volumes_at(self) -> float:
        """When waiting for them is over."""
        default = self.config.migrations.utility_volumes_timeout
        return created(self.migration) + _seconds(self.migration, UTILITY_VOLUMES_TIMEOUT_ANNOTATION, default)

    def _pod_deadline(self, key: str, default: int) -> float:
        return float("inf") if self.pod is None else created(self.pod) + _seconds(self.migration, key, default)


def deadline(view: MigrationView) -> float | None:
    """When to look again though nothing changes, because a wait may be over then; None: never."""
    pod, due = view.pod, []
    if view.vmi is not None and view.phase == PENDING and view.utility_volumes:
        due.append(view.utility_volumes_at)
    if pod is not None and pod_is_pending(pod) and view.phase in (PENDING, SCHEDULING):
        due.append(view.pending_at)
        if pod_is_unschedulable(pod):
            due.append(view.unschedulable_at)
    return min((at for at in due if at > view.now), default=None)


class Views:
    """Makes views from the API, with indexes over pods and VMIMs."""

    def __init__(self, api: Api, queue: Queue) -> None:
        self._api = api
        self._queue = queue
        self._pods = Index(api, POD, by_label(CREATED_BY_LABEL))
        self._migrations = Index(api, VMIM, by_label(VMI_NAME_LABEL))

    def of_vmi(self, namespace: str, name: str) -> tuple[Json, ...]:
        """All VMIMs of a VMI."""
        found = self._migrations.of(name)
        return tuple(migration for migration in found if migration["metadata"]["namespace"] == namespace)

    def take(self, migration: Json, config: KubeVirtConfig, settings: Any) -> MigrationView:
        """Look at a VMIM now. `settings(policies, vmi, namespace)` gives the settings it would be handed off with."""
        namespace = migration["metadata"]["namespace"]
        vmi = self._api.find(VMI, namespace, vmi_name(migration))
        now, stamp = self._api.clock.now(), self._api.clock.stamp()
        siblings = self.of_vmi(namespace, vmi_name(migration))
        if vmi is None:
            return MigrationView(migration, None, now, stamp, config, Settings(config.migrations), siblings=siblings)
        pods = self._pods.of(uid(vmi))
        pod = target_pod(pods, migration, vmi)
        waits = phase(migration) == PENDING and pod is None
        return MigrationView(
            migration, vmi, now, stamp, config,
            settings=settings(self._api.list(POLICY), vmi, self._api.find(NAMESPACE, "", namespace)),
            pod=pod,
            source_pod=current_pod(pods, vmi),
            node=self._api.find(NODE, "", node_of(vmi)),
            active_pods=active_pods(pods, vmi),
            backoff_until=backoff_end(migration, siblings) if waits else 0.0,
            slots=self._slots(migration, vmi, config) if waits else FREE,
            siblings=siblings,
        )  # fmt: skip

    def _slots(self, migration: Json, vmi: Json, config: KubeVirtConfig) -> Slots:
        contenders = []
        for other in self._api.list(VMIM):
            if is_final(other):
                continue
            there = self._api.find(VMI, other["metadata"]["namespace"], vmi_name(other))
            has_pod = there is not None and target_pod(self._pods.of(uid(there)), other, there) is not None
            contenders.append(Contender(other, there, has_pod))
        return self._queue.slots(migration, node_of(vmi), contenders, config.migrations.parallel_outbound_per_node)


def _seconds(migration: Json, key: str, default: int) -> int:
    text = annotation(migration, key)
    try:
        return default if text is None else int(text)
    except ValueError:
        return default  # as the product: logged and ignored
