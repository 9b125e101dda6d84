"""The weigher `kvm_instance_group_soft_affinity`: members of a server group attract or repel each other softly."""

from __future__ import annotations

from collections.abc import Mapping

from lab.cortex.scheduling.steps import Answered, Asked, Step, everyone

_FACTORS: Mapping[str, float] = {"soft-affinity": 1.0, "soft-anti-affinity": -1.0}


def _weigh(asked: Asked) -> Answered:
    """How many members are on the host; negative where they repel each other."""
    group = asked.request.group
    if group is None or group.policy not in _FACTORS or not group.members:
        return everyone(asked)
    members, factor = frozenset(group.members), _FACTORS[group.policy]
    hosts = asked.view.hosts
    return Answered(
        {
            host: factor * sum(vm in members for vm in hosts[host].instances) if host in hosts else 0.0
            for host in asked.hosts
        }
    )


SOFT_AFFINITY = Step("kvm_instance_group_soft_affinity", _weigh)
