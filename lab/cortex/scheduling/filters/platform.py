"""Filters by the kind of hypervisor: what the image wants, what the flavor wants (Cortex sheet §1.3)."""

from __future__ import annotations

from collections.abc import Mapping

from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.intents import INTERNAL, intent_of
from lab.cortex.scheduling.request import Json
from lab.cortex.scheduling.steps import Answered, Asked, Event, Step, everyone, keep

_PREFIX = "capabilities:"
_NOVA_TYPES: Mapping[str, str] = {"ch": "CH", "kvm": "QEMU"}
_OPERATORS = ("=", "<in>", "<all-in>", "==", "!=", ">=", "<=", "s==", "s!=", "s<", "s<=", "s>", "s>=", "<or>")


def _image_properties(asked: Asked) -> Answered:
    """An image for another platform leaves no KVM host; one that tells none leaves all, and an event."""
    intent = intent_of(asked.request)
    if intent in INTERNAL:
        return everyone(asked)
    wanted = _platform(asked.request.image or {})
    if wanted is None:
        event = Event("image_properties_hv_type_undetermined", {"intent": intent or "unknown"})
        return Answered(everyone(asked).activations, (event,))
    return everyone(asked) if wanted == "kvm" else keep(host for host in asked.hosts if host not in asked.view.hosts)


def _platform(properties: Json) -> str | None:
    """The platform an image is for, by the first property that tells one; None if it is none that is known."""
    told = next((properties[key] for key in ("img_hv_type", "hypervisor_type") if key in properties), None)
    named = told.lower() if isinstance(told, str) else ""
    return named if named in ("vmware", "baremetal", "kvm") else None


def _capabilities(asked: Asked) -> Answered:
    """Compared case-sensitively; with an operator in any of them nothing is compared at all."""
    specs = asked.request.flavor.extra_specs
    wanted = {key: value for key, value in specs.items() if key.startswith(_PREFIX)}
    if not wanted or any(operator in value for value in wanted.values() for operator in _OPERATORS):
        return everyone(asked)
    events = []
    fitting = []
    for name in asked.hosts:
        host = asked.view.hosts.get(name)
        if host is None:
            continue
        if host.machine.hypervisor_type not in _NOVA_TYPES:
            labels = {"hypervisor_type": host.machine.hypervisor_type}
            events.append(Event("filter_capabilities_unknown_hypervisor_type", labels))
        if wanted.items() <= _provided(host).items():
            fitting.append(name)
    return Answered(keep(fitting).activations, tuple(events))


def _provided(host: Host) -> Mapping[str, str]:
    kind = _NOVA_TYPES.get(host.machine.hypervisor_type)
    return {} if kind is None else {f"{_PREFIX}hypervisor_type": kind, f"{_PREFIX}cpu_arch": host.machine.arch}


IMAGE_PROPERTIES = Step("filter_image_properties", _image_properties)
CAPABILITIES = Step("filter_capabilities", _capabilities)
