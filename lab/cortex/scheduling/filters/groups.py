"""Filters by server groups that bind their members hard (Cortex sheet §8)."""

from __future__ import annotations

from lab.cortex.scheduling.filters.known import keep_known
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.intents import INTERNAL, intent_of
from lab.cortex.scheduling.request import Group
from lab.cortex.scheduling.steps import Answered, Asked, Step, everyone, keep

_PER_HOST = 1
"""Members on one host. `max_server_per_host` has no effect: it is decoded as a float and then looked for as an int."""


def _group(asked: Asked, policy: str) -> Group | None:
    group = asked.request.group
    bound = group is not None and group.policy == policy and intent_of(asked.request) not in INTERNAL
    return group if bound else None


def _affinity(asked: Asked) -> Answered:
    group = _group(asked, "affinity")
    if group is None or not group.hosts:
        return everyone(asked)
    return keep(host for host in asked.hosts if host in group.hosts)


def _anti_affinity(asked: Asked) -> Answered:
    """The host that the VM itself is on stays, whoever else is on it."""
    group = _group(asked, "anti-affinity")
    if group is None or not group.members:
        return everyone(asked)
    members, vm = frozenset(group.members), asked.request.vm

    def free(host: Host) -> bool:
        return vm in host.instances or sum(each in members for each in host.instances) < _PER_HOST

    return keep_known(asked, free)


AFFINITY = Step("filter_instance_group_affinity", _affinity)
ANTI_AFFINITY = Step("filter_instance_group_anti_affinity", _anti_affinity)
