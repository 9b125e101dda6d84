"""Puts the hypervisor operator into a lab: definitions, Deployment, and Hypervisors as onboarding leaves them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import DEPLOYMENT, NAMESPACE, SECRET
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.hypervisor_operator import crds
from lab.hypervisor_operator import deployment as chart
from lab.hypervisor_operator.fixes import ALL
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.programs import PARALLEL, programs
from lab.hypervisor_operator.rollout import Rollout
from lab.hypervisor_operator.starting import Make, Simulated
from lab.hypervisor_operator.wire import Nova
from lab.hypervisor_operator.words import AGGREGATES_UPDATED, DISABLED, ONBOARDING, SUCCEEDED, TRAITS_UPDATED, entry


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that Nova knows. `name` is its short name; ids are Nova's."""

    name: str
    hypervisor_id: str
    service_id: str
    traits: Sequence[str] = ()
    instances: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which program, with what beside the chart's arguments; environment: OS_* variables, the password among them."""

    environment: Mapping[str, str]
    program: str = PARALLEL
    arguments: tuple[str, ...] = ()


def install_definitions(api: Api, definitions: DefinitionController, hosts: Iterable[Host]) -> None:
    """What a real operator needs too: both kinds, and a Hypervisor for each machine, ready and in service."""
    crds.install(api, definitions)
    stamp = api.clock.stamp()
    for host in hosts:
        custom = [trait for trait in host.traits if trait.startswith("CUSTOM_")]
        metadata = {"name": host.name, "labels": {"kubernetes.io/hostname": host.name, **host.labels}}
        api.create(HYPERVISOR, {"metadata": metadata, "spec": {"customTraits": custom}})
        said = (
            entry(ONBOARDING, False, SUCCEEDED, "Onboarding completed"),
            entry(TRAITS_UPDATED, True, SUCCEEDED, "Traits successfully updated"),
            entry(AGGREGATES_UPDATED, True, SUCCEEDED, "Aggregates from spec applied successfully"),
            entry(DISABLED, False, SUCCEEDED, "Hypervisor is enabled"),
        )
        status = {
            "hypervisorId": host.hypervisor_id,
            "serviceId": host.service_id,
            "traits": list(host.traits),
            "numInstances": host.instances,
            "conditions": [{**each, "lastTransitionTime": stamp} for each in said],
        }
        api.patch(HYPERVISOR, "", host.name, {"status": status}, subresource="status")


def install(api: Api, runtime: Runtime, nova: Nova, choice: Choice, *, faults: Faults, seed: int) -> Rollout:
    """The simulated operator: namespace, secret, Deployment, and the process that follows from it."""
    account = f"system:serviceaccount:{chart.NAMESPACE}:{chart.NAME}"
    rng = random.Random(f"{seed}/hypervisor-operator")
    make = Simulated(api, nova, programs(ALL), faults, rng, account)
    return _deployed(api, runtime, Rollout(api, make, rng), choice, "RollingUpdate")


def install_external(api: Api, runtime: Runtime, make: Make, choice: Choice, *, seed: int) -> Rollout:
    """The same with a real program for its process, of which there may be only one at a time: it has no lease."""
    rollout = Rollout(api, make, random.Random(f"{seed}/hypervisor-operator"))
    return _deployed(api, runtime, rollout, choice, "Recreate")


def _deployed(api: Api, runtime: Runtime, rollout: Rollout, choice: Choice, strategy: str) -> Rollout:
    environment = dict(choice.environment)
    password = environment.pop("OS_PASSWORD", "")
    api.create(NAMESPACE, {"metadata": {"name": chart.NAMESPACE}})
    api.create(SECRET, chart.secret(password))
    rollout.start(runtime)
    api.create(DEPLOYMENT, chart.deployment(choice.program, environment, choice.arguments, strategy))
    return rollout
