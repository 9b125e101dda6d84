"""The reconciler of usage: which VMs of a project its commitments cover, and how much of each is used (sheet §1.2).

All commitments of a project are written at once, at most every cooldown; the oldest VM takes the oldest commitment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import parse_timestamp
from lab.cortex.flavor_groups import FlavorGroup, GroupsUnknownError, flavor_groups, group_of
from lab.cortex.kinds import COMMITTED_RESOURCE
from lab.cortex.reservations.desk import Desk, part_of
from lab.cortex.reservations.promised import ACTIVE, Commitment
from lab.cortex.reservations.summary import summary
from lab.cortex.reservations.vms import Vm, Vms
from lab.cortex.scheduling.amounts import MEMORY, amounts
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.workers import Done, Names
from lab.node_agent.quantities import binary, decimal

Json = Mapping[str, Any]
NAME = "committed-resource-usage"
_CLEARED = dict.fromkeys(("assignedInstances", "usedResources", "lastUsageReconcileAt", "usageObservedGeneration"))


@dataclass(slots=True)
class Cover:
    """One commitment while VMs are assigned. memory and left: bytes."""

    commitment: Commitment
    memory: int
    left: int
    vcpus: int = 0
    vms: list[str] = field(default_factory=list)

    def take(self, vm: Vm) -> bool:
        """Cover a VM if it fits."""
        if vm.memory > self.left:
            return False
        self.left -= vm.memory
        self.vcpus += vm.vcpus
        self.vms.append(vm.id)
        return True


def assign(vms: Iterable[Vm], commitments: Iterable[Commitment], groups: Sequence[FlavorGroup]) -> list[Cover]:
    """VMs by age, then size; commitments by their start, then size: the first with room, by what was accepted."""
    covers = sorted(map(_cover, filter(_counts, commitments)), key=_age)
    for vm in sorted(vms, key=lambda each: (each.created, -each.memory, each.id)):
        found = group_of(groups, vm.flavor)
        where = (found[0].name, vm.zone) if found is not None else None
        next((cover for cover in covers if _accepted_where(cover.commitment) == where and cover.take(vm)), None)
    return covers


class UsageController:
    """Follows commitments that were accepted, and the guests of hosts with slots."""

    name = NAME

    def __init__(self, desk: Desk, vms: Vms) -> None:
        self._desk = desk
        self._vms = vms

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Commitments whose usage lags, and every commitment of a project with a slot on a host that changed."""
        return {COMMITTED_RESOURCE: _lagging, HYPERVISOR: self._on_host}

    def reconcile(self, name: str) -> Talk[Done]:
        """Write the usage of the commitments of one project."""
        yield from ()
        desk, now = self._desk, self._desk.api.clock.now()
        obj = desk.api.find(COMMITTED_RESOURCE, "", name)
        if obj is None or not desk.alive():
            return Done()
        commitment, cooldown = Commitment(obj, now), desk.settings.usage_cooldown
        if not commitment.in_state(*ACTIVE) or commitment.over:
            self._clear(commitment)
            return Done()
        if commitment.early or not _accepted(commitment):
            return Done()
        last, status = commitment.status.get("lastUsageReconcileAt"), commitment.status
        if last and status.get("usageObservedGeneration") == commitment.generation:
            rest = parse_timestamp(last) + cooldown - now
            if rest > 0:
                return Done(after=rest)
        try:
            groups = flavor_groups(desk.api)
        except GroupsUnknownError as error:
            return Done(error=str(error))
        project = commitment.spec["projectID"]
        mine = [Commitment(each, now) for each in list(desk.stored(COMMITTED_RESOURCE))]
        mine = [each for each in mine if each.spec["projectID"] == project]
        for cover in assign(self._vms.of(project), mine, groups):
            self._write(cover)
        return Done(after=cooldown)

    def _write(self, cover: Cover) -> None:
        commitment = cover.commitment
        status = {
            "assignedInstances": cover.vms,
            "usedResources": {"memory": binary(cover.memory - cover.left), "cpu": decimal(cover.vcpus)},
            "lastUsageReconcileAt": self._desk.api.clock.stamp(),
            "usageObservedGeneration": commitment.generation,
        }
        self._patch(commitment, status)

    def _clear(self, commitment: Commitment) -> None:
        if commitment.status.get("assignedInstances") or commitment.status.get("usedResources"):
            self._patch(commitment, _CLEARED)

    def _patch(self, commitment: Commitment, status: Json) -> None:
        line = summary(commitment.spec, {**commitment.status, **status}, commitment.now)
        self._desk.patch_status(COMMITTED_RESOURCE, commitment.name, {**status, "statusSummary": line})

    def _on_host(self, change: Change) -> Iterable[str]:
        projects = {part_of(slot).get("projectID") for slot in self._desk.by_host.of(change.new.name)} - {None}
        if not projects:
            return ()
        found = self._desk.stored(COMMITTED_RESOURCE)
        return [each["metadata"]["name"] for each in found if each["spec"]["projectID"] in projects]


def _cover(commitment: Commitment) -> Cover:
    accepted = commitment.status["acceptedSpec"]
    memory = int(amounts({MEMORY: accepted["amount"]})[MEMORY]) if accepted["resourceType"] == MEMORY else 0
    return Cover(commitment, memory, memory)


def _counts(commitment: Commitment) -> bool:
    accepted = commitment.status.get("acceptedSpec")
    if accepted is None:
        return False
    then = Commitment({**commitment.obj, "spec": accepted}, commitment.now)
    return then.in_state(*ACTIVE) and not then.over and not then.early and then.well_formed


def _age(cover: Cover) -> tuple[float, int, str]:
    accepted = cover.commitment.status["acceptedSpec"]
    start = accepted.get("startTime")
    return parse_timestamp(start) if start else float("-inf"), -cover.memory, accepted["commitmentUUID"]


def _accepted_where(commitment: Commitment) -> tuple[str, str]:
    accepted = commitment.status["acceptedSpec"]
    return str(accepted["flavorGroupName"]), str(accepted["availabilityZone"])


def _accepted(commitment: Commitment) -> bool:
    ready = commitment.ready
    return (ready.get("status"), ready.get("observedGeneration")) == ("True", commitment.generation)


def _lagging(change: Change) -> Iterable[str]:
    commitment = Commitment(change.new.obj, 0.0)
    behind = commitment.status.get("usageObservedGeneration") != commitment.generation
    return (change.new.name,) if _accepted(commitment) and behind else ()
