"""The filter `filter_live_migratable`: what the guest sees on the source has to be there on the target too."""

from __future__ import annotations

from lab.cortex.scheduling.filters.known import keep_known
from lab.cortex.scheduling.hosts import Machine
from lab.cortex.scheduling.intents import LIVE_MIGRATION, intent_of
from lab.cortex.scheduling.steps import Answered, Asked, Step, StepError, everyone


def _live_migratable(asked: Asked) -> Answered:
    """Without a hint of the source all stay. A source that is no Hypervisor fails the step, and all stay too."""
    name = asked.request.hint("source_host")
    if intent_of(asked.request) != LIVE_MIGRATION or not name:
        return everyone(asked)
    source = asked.view.hosts.get(name)
    if source is None:
        raise StepError("source host hypervisor not found")
    machine = source.machine
    return keep_known(asked, lambda host: _carries(host.machine, machine))


def _carries(target: Machine, source: Machine) -> bool:
    return (
        target.arch == source.arch
        and source.cpu_modes <= target.cpu_modes
        and source.features <= target.features
        and source.devices <= target.devices
    )


LIVE_MIGRATABLE = Step("filter_live_migratable", _live_migratable)
