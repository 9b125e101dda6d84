"""Weighers by the sizes of hosts: `kvm_binpack` and `kvm_prefer_smaller_hosts` (Cortex sheet §8).

Both read effective capacity only, even where a host tells nothing but its capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.cortex.scheduling.amounts import CPU, MEMORY, NOTHING, Amount
from lab.cortex.scheduling.decoding import MAP, Kind, Shape
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.steps import Answered, Asked, Params, Step

WEIGHTS = "resourceWeights"
_OPTIONS: Mapping[str, Shape] = {WEIGHTS: {MAP: Kind.NUMBER}}
_MEGABYTE = 1_000_000


def _binpack(asked: Asked) -> Answered:
    """How full the host is with the VM on it; above 1 where it does not fit."""
    wanted = _wanted(asked.request)

    def full(host: Host, name: str) -> float | None:
        size = (host.effective or NOTHING).get(name, 0)
        if not size or name not in host.allocation:
            return None
        return float(host.allocation[name] + wanted[name]) / float(size)

    return _averaged(asked, full)


def _wanted(request: Request) -> Mapping[str, int]:
    each = {MEMORY: request.flavor.memory_mb * _MEGABYTE, CPU: request.flavor.vcpus}
    return {name: value * request.instances for name, value in each.items()}


def _prefer_smaller(asked: Asked) -> Answered:
    """1 for the smallest of the hosts left, 0 for the largest, nothing where all are alike."""
    known = [asked.view.hosts[host] for host in asked.hosts if host in asked.view.hosts]
    ranges: dict[str, tuple[Amount, Amount]] = {}
    for name in asked.params.get(WEIGHTS) or ():
        sizes = [host.effective[name] for host in known if host.effective is not None and name in host.effective]
        if sizes:
            ranges[name] = (min(sizes), max(sizes))

    def small(host: Host, name: str) -> float | None:
        size = (host.effective or NOTHING).get(name)
        least, most = ranges.get(name, (0, 0))
        if size is None or least == most:
            return None
        return 1 - (float(size) - float(least)) / (float(most) - float(least))

    return _averaged(asked, small)


def _averaged(asked: Asked, score: Callable[[Host, str], float | None]) -> Answered:
    """The mean over the weighted resources that have a score; 0 where none has."""
    weights: Mapping[str, float] = asked.params.get(WEIGHTS) or {}

    def mean(host: Host) -> float:
        scores = [(weight, found) for name, weight in weights.items() if (found := score(host, name)) is not None]
        total = sum(weight for weight, _ in scores)
        return sum(weight * found for weight, found in scores) / total if total else 0.0

    hosts = asked.view.hosts
    return Answered({host: mean(hosts[host]) if host in hosts else 0.0 for host in asked.hosts})


def _refusal(params: Params) -> str:
    """What both refuse."""
    weights: Mapping[str, float] = params.get(WEIGHTS) or {}
    if not weights:
        return "at least one resource weight must be specified"
    strange = next((name for name in weights if name not in (MEMORY, CPU)), None)
    if strange is not None:
        return f"unsupported resource {strange} in ResourceWeights, supported resources are: [{MEMORY} {CPU}]"
    return ""


def _binpack_refusal(params: Params) -> str:
    for name, value in (params.get(WEIGHTS) or {}).items():
        if name in (MEMORY, CPU) and value == 0:
            return (
                f"resource weight for {name} can't be zero, if you want to disable this resource in the weigher, "
                "remove it or the weigher"
            )
        if name in (MEMORY, CPU) and value < 0:
            return (
                f"resource weight for {name} can't be negative. use weigher.multiplier to invert this weighers behavior"
            )
    return _refusal(params)


def _smaller_refusal(params: Params) -> str:
    if any(value < 0 for value in (params.get(WEIGHTS) or {}).values()):
        return "resource weights must be greater than or equal to zero"
    return _refusal(params)


BINPACK = Step("kvm_binpack", _binpack, _OPTIONS, _binpack_refusal)
SMALLER_HOSTS = Step("kvm_prefer_smaller_hosts", _prefer_smaller, _OPTIONS, _smaller_refusal)
