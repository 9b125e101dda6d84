"""Filters by what the caller or the configuration says of hosts by name or aggregate (Cortex sheet §8)."""

from __future__ import annotations

from lab.cortex.scheduling.decoding import Kind
from lab.cortex.scheduling.filters.known import keep_known
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.intents import INTERNAL, intent_of
from lab.cortex.scheduling.steps import Answered, Asked, Step, everyone, keep

_EXCLUDED = "excludedHosts"


def _host_instructions(asked: Asked) -> Answered:
    """An empty list of forced hosts forces nobody in, and everybody out."""
    ignored, forced = asked.request.ignore_hosts or (), asked.request.force_hosts
    return keep(host for host in asked.hosts if host not in ignored and (forced is None or host in forced))


def _exclude_hosts(asked: Asked) -> Answered:
    excluded = asked.params.get(_EXCLUDED) or ()
    return keep(host for host in asked.hosts if host not in excluded)


def _requested_destination(asked: Asked) -> Answered:
    wanted = asked.request.destination
    if wanted is None or intent_of(asked.request) in INTERNAL:
        return everyone(asked)
    groups = [frozenset(each.split(",")) for each in wanted.aggregates]

    def inside(host: Host) -> bool:
        uuids = {aggregate.uuid for aggregate in host.aggregates}
        return all(uuids & group for group in groups)

    answered = keep_known(asked, inside) if groups else everyone(asked)
    return keep(host for host in answered.activations if not wanted.host or host == wanted.host)


HOST_INSTRUCTIONS = Step("filter_host_instructions", _host_instructions)
EXCLUDE_HOSTS = Step("filter_exclude_hosts", _exclude_hosts, {_EXCLUDED: [Kind.TEXT]})
REQUESTED_DESTINATION = Step("filter_requested_destination", _requested_destination)
