"""The sheet's prose of slots and of the steering weigher (§4, §5) once more: by brute force, over raw objects, in GiB.

Nothing of the lab is used in here, so that both can only agree by meaning the same.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Json = dict[str, Any]
LABEL = "reservations.cortex.cloud/type"
PART = "committedResourceReservation"


def gib(quantities: Json | None) -> Fraction:
    text = (quantities or {}).get("memory", "0Gi")
    return Fraction(text.removesuffix("Gi"))


def is_ready(reservation: Json) -> bool:
    return {"type": "Ready", "status": "True"} in reservation["status"]["conditions"]


class Model:
    """Answers about one cluster."""

    def __init__(self, hypervisors: list[Json], reservations: list[Json]) -> None:
        self.hypervisors = hypervisors
        self.labelled = [each for each in reservations if each["metadata"]["labels"][LABEL] == "committed-resource"]

    def hv_free(self, host: str) -> Fraction:
        for hypervisor in self.hypervisors:
            if hypervisor["metadata"]["name"] == host:
                status = hypervisor["status"]
                size = status["effectiveCapacity"] if "effectiveCapacity" in status else status.get("capacity")
                left = gib(size) - gib(status.get("allocation"))
                return left if left > 0 else Fraction(0)
        return Fraction(0)

    def slots(self, host: str) -> list[Json]:
        return [
            each
            for each in self.labelled
            if is_ready(each) and PART in each["spec"] and each["spec"]["targetHost"] == host
        ]

    def blocks(self, host: str) -> Fraction:
        total = Fraction(0)
        for each in self.slots(host):
            total += gib(each["spec"]["resources"])
        return total

    def remaining(self, slot: Json) -> Fraction:
        left = gib(slot["spec"]["resources"])
        for allocation in slot["spec"][PART]["allocations"].values():
            left -= gib(allocation["resources"])
        return max(left, Fraction(0))

    def offers(self, host: str, project: str, group: str) -> list[Fraction]:
        return [
            self.remaining(each)
            for each in self.slots(host)
            if each["spec"][PART]["projectID"] == project
            if each["spec"][PART]["resourceGroup"] == group
        ]

    def usable(self, host: str, project: str, group: str, need: Fraction) -> bool:
        beside = self.hv_free(host) - self.blocks(host)
        return bool([left for left in self.offers(host, project, group) if left > 0 and beside + left >= need])

    def strict(self, host: str, project: str, group: str, need: Fraction) -> bool:
        offers = self.offers(host, project, group)
        return bool(offers) and max(offers) >= need

    def room(self, host: str, need: Fraction) -> bool:
        return not self.hv_free(host) < self.blocks(host) + need

    def steer(
        self, vm: str, project: str, hosts: list[str], weights: tuple[float, float], revision: str
    ) -> tuple[dict[str, float] | None, str | None]:
        """Activations and the label counted; (None, None) if the process dies."""
        unsteered = dict.fromkeys(hosts, 0.0)
        source = None
        for each in self.labelled:
            lists_it = vm in each["status"].get(PART, {}).get("allocations", {})
            if lists_it and (revision == "R2" or (is_ready(each) and PART in each["spec"])):
                source = each
                break
        if source is None:
            return unsteered, "no_source_slot"
        need = gib(source["spec"]["resources"])
        if need == 0:
            return unsteered, "no_source_slot" if revision == "R2" else "invalid_source_slot"
        if PART not in source["spec"]:
            return None, None
        group = source["spec"][PART]["resourceGroup"]
        strict = {host for host in hosts if self.strict(host, project, group, need)}
        able = strict | {host for host in hosts if self.room(host, need)}
        label = "slot_found" if strict else "no_slot"
        return {host: weights[0] if host in able else weights[1] for host in hosts}, label
