"""virt-handler's main loop, for all nodes: one VMI a reconcile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import NODE, POD, PVC
from lab.apiserver.resources import Resource
from lab.controllers.answers import answer
from lab.controllers.decisions import Faults, decide
from lab.controllers.effects import Effect, Patch, Ref, perform
from lab.controllers.index import Index, by_controller
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.callers import Callers
from lab.kubevirt.config import ComponentConfig, KubeVirtConfig
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.facts import node_of
from lab.kubevirt.handler.guard import GUARD
from lab.kubevirt.handler.guests import GuestMaker, GuestOrderError, Order
from lab.kubevirt.handler.migratable import Mobility, conditions_of
from lab.kubevirt.handler.phases import PAUSED, PHASES
from lab.kubevirt.handler.status import wanted
from lab.kubevirt.handler.view import HandlerView
from lab.kubevirt.handler.work import work_table
from lab.kubevirt.kinds import VMI
from lab.kubevirt.merging import difference
from lab.kubevirt.pods import launcher_of
from lab.scheduling.delays import Delays
from lab.scheduling.devices import DevicePlugins

Json = Mapping[str, Any]
_PHASE_EVENTS = {
    "Running": ("Normal", "Started", "VirtualMachineInstance started."),
    "Succeeded": ("Normal", "Stopped", "The VirtualMachineInstance was shut down."),
    "Failed": ("Warning", "Stopped", "The VirtualMachineInstance crashed."),
}


class Handler:
    """Domains follow VMIs, VMI status follows domains. `poke` it when a domain changes."""

    name = "virt-handler"

    def __init__(
        self,
        api: Api,
        config: ComponentConfig,
        domains: Domains,
        devices: DevicePlugins,
        guests: GuestMaker,
        delays: Delays,
        callers: Callers,
        faults: Faults,
    ) -> None:
        self._api = api
        self._config = config
        self._domains = domains
        self._devices = devices
        self._guests = guests
        self._delays = delays
        self._caller = callers.handler
        self._faults = faults
        self._pods = Index(api, POD, by_controller)
        self._failures: dict[str, str] = {}  # by VMI UID
        self._uids: dict[Key, str] = {}
        self._guard = faults.ahead_of(GUARD)
        self._work = faults.ahead_of(work_table(domains, self._start))
        self._phases = faults.ahead_of(PHASES)
        self._paused = faults.ahead_of(PAUSED)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """VMIs. Not pods, and not the configuration: neither brings a VMI back here (sheet §2.4)."""
        return {VMI: same_object}

    def reconcile(self, key: Key) -> float | None:
        """Bring one domain and its VMI's status forward."""
        vmi = self._api.find(VMI, *key)
        if vmi is None:
            self._forget(key)
            return None
        self._uids[key] = vmi["metadata"]["uid"]
        view = self._look(vmi)
        if not answer(self._guard, view):
            return None
        decision = decide(self._work, view, view.now)
        perform(decision.effects, self._api, self._caller)
        if not view.final:
            self._write(self._look(vmi))
        return decision.wake_at

    def _write(self, view: HandlerView) -> None:
        phase = answer(self._phases, view)
        live, storage = conditions_of(Mobility(view.vmi, view.config, view.node, view.volumes), self._faults)
        patch = difference(view.vmi, wanted(view, phase, live, storage, answer(self._paused, view)))
        effects: list[Effect] = []
        if patch:
            effects.append(Patch(Ref(VMI, view.vmi["metadata"]["namespace"], view.vmi["metadata"]["name"]), patch))
        if phase != view.phase and phase in _PHASE_EVENTS:
            kind, reason, message = _PHASE_EVENTS[phase]
            effects.append(view.event("Warning" if kind == "Warning" else "Normal", reason, message))
        if live["status"] == "False" and _wants_migration(view.vmi, view.config):
            text = f"EvictionStrategy is set but vmi is not migratable; {live['message']}"
            effects.append(view.event("Warning", "Migrated", text))
        perform(effects, self._api, self._caller)

    def _start(self, view: HandlerView) -> None:
        """Make the guest and its domain; a guest that cannot be made leaves a sync error."""
        metadata = view.vmi["metadata"]
        uid, pod_uid = metadata["uid"], (view.pod or {})["metadata"]["uid"]
        allocation = self._devices.of(pod_uid)

        def with_domain(action: str) -> None:
            domain = self._domains.get(uid)
            if domain is not None and action == "off":
                self._domains.end(domain)
            elif domain is not None:
                self._domains.touch(domain)

        order = Order(view.vmi, allocation, lambda: with_domain("off"), lambda: with_domain("agent"))
        try:
            guest = self._guests.make(order)
        except GuestOrderError as error:
            self._failures[uid] = str(error)
            view.event("Warning", "SyncFailed", str(error)).apply(self._api, self._caller)
            return
        domain = Domain(
            uid,
            metadata["namespace"],
            metadata["name"],
            node_of(view.vmi),
            pod_uid,
            guest,
            mdevs=allocation.mdevs if allocation is not None else (),
            pci=allocation.pci if allocation is not None else (),
            user_paused=view.vmi["spec"].get("startStrategy") == "Paused",
        )
        self._domains.start(domain)

    def _look(self, vmi: Json) -> HandlerView:
        metadata = vmi["metadata"]
        uid, node = metadata["uid"], node_of(vmi)
        domain = self._domains.get(uid)
        return HandlerView(
            vmi=vmi,
            domain=domain,
            pod=launcher_of(self._pods.of(uid), vmi),
            config=self._config.current,
            agent=None if domain is None or domain.ended else self._guests.agent(domain.guest),
            node=self._api.find(NODE, "", node) if node else None,
            volumes=dict(self._claims(vmi)),
            start_delay=self._delays.of("domain-start", uid),
            shutdown_delay=self._delays.of("guest-shutdown", uid),
            now=self._api.clock.now(),
            stamp=self._api.clock.stamp(),
            failure=self._failures.get(uid, ""),
        )

    def _claims(self, vmi: Json) -> Iterable[tuple[str, Json]]:
        for volume in vmi["spec"].get("volumes") or ():
            claim = str((volume.get("persistentVolumeClaim") or {}).get("claimName") or "")
            found = self._api.find(PVC, vmi["metadata"]["namespace"], claim) if claim else None
            if found is not None:
                yield claim, found

    def _forget(self, key: Key) -> None:
        uid = self._uids.pop(key, "")
        self._failures.pop(uid, None)
        domain = self._domains.get(uid)
        if domain is not None:
            self._domains.destroy(domain)


def _wants_migration(vmi: Json, config: KubeVirtConfig) -> bool:
    return (vmi["spec"].get("evictionStrategy") or config.eviction_strategy) == "LiveMigrate"
