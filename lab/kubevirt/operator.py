"""virt-operator: rolls a KubeVirt object out and says so in its status (kubevirt sheet §3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.resources import Resource
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Effect, Patch, Ref, perform
from lab.controllers.runtime import Key, Mapper, same_object
from lab.kubevirt.callers import Callers
from lab.kubevirt.conditions import find, make, of
from lab.kubevirt.kinds import KUBEVIRT
from lab.scheduling.delays import Delays

Json = Mapping[str, Any]
REGISTRY = "registry.redhat.io/container-native-virtualization"
_READY = ("AllComponentsReady", "All components are ready.")


@dataclass(frozen=True, slots=True)
class Deployment:
    """A KubeVirt object on its way to being rolled out."""

    kubevirt: Json
    version: str
    stamp: str
    seen_at: float  # product time at which this generation was first seen
    delay: float

    @property
    def status(self) -> Json:
        """`status`, empty if there is none."""
        return self.kubevirt.get("status") or {}

    @property
    def rolled_out(self) -> bool:
        """Whether everything runs as this generation says."""
        generation = self.kubevirt["metadata"].get("generation", 1)
        return self.status.get("observedGeneration") == generation and self.status.get("phase") == "Deployed"

    def write(self, body: Mapping[str, Any], conditions: Mapping[str, tuple[bool, str, str]]) -> Sequence[Effect]:
        """Write status fields and conditions."""
        entries = [self._dated(kind, *said) for kind, said in conditions.items()]
        metadata = self.kubevirt["metadata"]
        ref = Ref(KUBEVIRT, metadata["namespace"], metadata["name"])
        return (Patch(ref, {"status": {**body, "conditions": entries}}, subresource="status"),)

    def _dated(self, kind: str, status: bool, reason: str, message: str) -> Json:
        old = find(of(self.kubevirt), kind)
        since = old["lastTransitionTime"] if old and old["status"] == str(status) else self.stamp
        return make(kind, status, reason, message, transition=since, probe=self.stamp)


def _deploy(found: Deployment) -> Sequence[Effect]:
    text = f"Deploying version {found.version} with registry {REGISTRY}"
    body = {"phase": "Deploying", "operatorVersion": found.version}
    states = {
        "Available": (False, "DeploymentInProgress", text),
        "Progressing": (True, "DeploymentInProgress", text),
        "Degraded": (True, "DeploymentInProgress", text),
    }
    return found.write(body, states)


def _roll_out(found: Deployment) -> Sequence[Effect]:
    versions = {
        f"{prefix}KubeVirt{name}": value
        for prefix in ("observed", "target")
        for name, value in (("Version", found.version), ("Registry", REGISTRY))
    }
    body = {
        "phase": "Deployed",
        "observedGeneration": found.kubevirt["metadata"].get("generation", 1),
        "operatorVersion": found.version,
        "outdatedVirtualMachineInstanceWorkloads": 0,
        "defaultArchitecture": "amd64",
        **versions,
    }
    states = {
        "Available": (True, *_READY),
        "Progressing": (False, *_READY),
        "Degraded": (False, *_READY),
        "Created": (True, "AllResourcesCreated", "All resources were created."),
        "Synchronized": (True, "", ""),
    }
    return found.write(body, states)


OPERATE: Table[Deployment] = Table(
    "virt-operator",
    (
        Row("rolled out", lambda found: found.rolled_out, hold),
        Row("new", lambda found: not found.status.get("phase"), _deploy),
        Row("roll out", lambda _: True, _roll_out, after=lambda found: found.delay),
    ),
    since=lambda found: found.seen_at,
)


class Operator:
    """One KubeVirt object a reconcile."""

    name = "virt-operator"

    def __init__(self, api: Api, version: str, delays: Delays, callers: Callers, faults: Faults) -> None:
        self._api = api
        self._version = version
        self._delays = delays
        self._caller = callers.operator
        self._table = faults.ahead_of(OPERATE)
        self._seen: dict[Key, tuple[int, float]] = {}  # generation, first seen at

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """KubeVirt objects."""
        return {KUBEVIRT: same_object}

    def reconcile(self, key: Key) -> float | None:
        """Look at one KubeVirt object."""
        kubevirt = self._api.find(KUBEVIRT, *key)
        if kubevirt is None:
            self._seen.pop(key, None)
            return None
        generation, now = kubevirt["metadata"].get("generation", 1), self._api.clock.now()
        if self._seen.get(key, (0, 0.0))[0] != generation:
            self._seen[key] = (generation, now)
        decision = decide(self._table, self._look(kubevirt, self._seen[key][1]), now)
        perform(decision.effects, self._api, self._caller)
        return decision.wake_at

    def settle(self, key: Key) -> None:
        """Have a new KubeVirt object rolled out at once: a lab starts with the product installed."""
        deployment = self._look(self._api.get(KUBEVIRT, *key), self._api.clock.now())
        perform(_roll_out(deployment), self._api, self._caller)

    def _look(self, kubevirt: Json, seen_at: float) -> Deployment:
        generation = kubevirt["metadata"].get("generation", 1)
        delay = self._delays.of("operator-sync", f"{kubevirt['metadata']['uid']}/{generation}")
        return Deployment(kubevirt, self._version, self._api.clock.stamp(), seen_at, delay)
