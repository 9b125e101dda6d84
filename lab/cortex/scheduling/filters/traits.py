"""Filters by traits, of the status and custom ones of the spec alike (Cortex sheet §1.3)."""

from __future__ import annotations

from lab.cortex.scheduling.decoding import Kind
from lab.cortex.scheduling.filters.known import keep_known
from lab.cortex.scheduling.intents import PROBING, intent_of
from lab.cortex.scheduling.steps import Answered, Asked, Params, Step, everyone

_PREFIXES, _IGNORED = "domainNamePrefixes", "ignoredDomainNames"
_TRAIT = "trait:"


def _requested_traits(asked: Asked) -> Answered:
    """Values other than `required` and `forbidden` mean nothing."""
    specs = asked.request.flavor.extra_specs

    def named(value: str) -> frozenset[str]:
        return frozenset(
            key.removeprefix(_TRAIT) for key, each in specs.items() if key.startswith(_TRAIT) and each == value
        )

    required, forbidden = named("required"), named("forbidden")
    if not required and not forbidden:
        return everyone(asked)
    return keep_known(asked, lambda host: required <= host.traits and not forbidden & host.traits)


def _accelerators(asked: Asked) -> Answered:
    if "accel:device_profile" not in asked.request.flavor.extra_specs:
        return everyone(asked)
    return keep_known(asked, lambda host: "COMPUTE_ACCELERATORS" in host.traits)


def _external_customer(asked: Asked) -> Answered:
    """VMs of domains with the prefix go to hosts that are for such customers; others may go anywhere."""
    domain = asked.request.hint("domain_name")
    if domain is None or intent_of(asked.request) in PROBING:
        return everyone(asked)
    external = domain.startswith(tuple(asked.params.get(_PREFIXES) or ()))
    if not external or domain in (asked.params.get(_IGNORED) or ()):
        return everyone(asked)
    return keep_known(asked, lambda host: "CUSTOM_EXTERNAL_CUSTOMER_EXCLUSIVE" in host.traits)


def _refusal(params: Params) -> str:
    return "" if params.get(_PREFIXES) else "don't configure this step without domainNamePrefixes"


REQUESTED_TRAITS = Step("filter_has_requested_traits", _requested_traits)
ACCELERATORS = Step("filter_has_accelerators", _accelerators)
EXTERNAL_CUSTOMER = Step(
    "filter_external_customer", _external_customer, {_PREFIXES: [Kind.TEXT], _IGNORED: [Kind.TEXT]}, _refusal
)
