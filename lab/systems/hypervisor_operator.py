"""The hypervisor operator of the profile's cloud: simulated, a real binary, or left out with everything prepared."""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lab.choice import Choice, ChoiceError
from lab.systems.system import Lab, Started, System

if TYPE_CHECKING:
    from lab.hypervisor_operator.install import Choice as Wanted
    from lab.hypervisor_operator.install import Host
    from lab.hypervisor_operator.rollout import Rollout
    from lab.openstack.install import OpenStack

NAME = "hypervisor-operator"
_ZONE = "topology.kubernetes.io/zone"
_FLAGS = ("--agent-namespaces=lab", "--health-probe-bind-address=127.0.0.1:8081", "--metrics-bind-address=0")


def _check(choice: Choice) -> None:
    from lab.controllers.decisions import Faults
    from lab.hypervisor_operator.flags import StartError
    from lab.hypervisor_operator.programs import programs

    known, program = programs(Faults()), _program(choice)
    if program not in known:
        raise ChoiceError(f"unknown hypervisor operator {program!r}; known programs: {', '.join(known)}")
    try:
        _section(choice)
    except StartError as error:
        why = str(error).splitlines()[0]
        raise ChoiceError(f"lab/profiles/{choice.profile.name}.yaml: hypervisor_operator.arguments: {why}") from error


def _program(choice: Choice) -> str:
    return choice.operator or choice.profile.hypervisor_operator.program


async def _start(lab: Lab) -> Started:
    from lab.hypervisor_operator import install as operator
    from lab.hypervisor_operator.deployment import NAMESPACE
    from lab.hypervisor_operator.external import Binary

    cloud = lab.openstack
    assert cloud is not None, "systems start in order"
    hosts = _hosts(cloud)
    operator.install_definitions(lab.api, lab.definitions, hosts)
    if NAME in lab.choice.without:
        section = {"namespace": NAMESPACE, "deployment": None, "external": True}
        return Started(site={"hypervisor_operator": section}, tells=tuple(_needs(lab, cloud, hosts)))
    path = lab.choice.externals.get(NAME)
    program = _program(lab.choice) if path is None else "external"
    wanted = operator.Choice(cloud.variables(), program, lab.profile.hypervisor_operator.arguments)
    site = {"hypervisor_operator": _section(lab.choice)}
    if path is None:
        _show(lab, _simulated(lab, cloud, wanted))
        return Started(site=site)
    binary = Binary(lab.api, path, lab.admin)
    _show(lab, operator.install_external(lab.api, lab.runtime, binary, wanted, seed=lab.choice.seed))
    return Started(site=site, stop=binary.close)


def _hosts(cloud: OpenStack) -> list[Host]:
    """The machines of the cloud as onboarding leaves them."""
    from lab.hypervisor_operator.install import Host

    state, providers = cloud.cloud.state, cloud.cloud.inventories
    return [
        Host(
            name=host.name,
            hypervisor_id=host.hypervisor_id,
            service_id=host.service_id,
            traits=sorted(providers.provider(host.hypervisor_id).traits),
            instances=sum(server.host == host.name and not server.deleted for server in state.servers()),
            labels={_ZONE: host.zone},
        )
        for host in state.hosts.values()
    ]


def _simulated(lab: Lab, cloud: OpenStack, wanted: Wanted) -> Rollout:
    from lab.hypervisor_operator.install import install
    from lab.hypervisor_operator.nearby import Near

    seed = lab.choice.seed
    near = Near(cloud.front.answer, lab.api.clock, random.Random(f"{seed}/operator-wire"))
    return install(lab.api, lab.runtime, near, wanted, faults=lab.faults, seed=seed)


def _show(lab: Lab, rollout: Rollout) -> None:
    """Let clients read what its processes write."""
    from lab.hypervisor_operator.logs import OperatorStreams

    lab.front.streams = OperatorStreams(rollout.logs, lab.front.streams)


def _section(choice: Choice) -> dict[str, Any]:
    """The section of the site file. Raises StartError for flags with which no process stays up."""
    from lab.controllers.decisions import Faults
    from lab.hypervisor_operator import deployment, flags
    from lab.hypervisor_operator.programs import programs
    from lab.hypervisor_operator.tables import Tables

    program = programs(Faults())[_program(choice)]
    arguments = ("--agent-namespaces=lab", *choice.profile.hypervisor_operator.arguments)
    given = flags.read(arguments, Tables(Faults(), Faults()), parallel=program.parallel)
    return {
        "namespace": deployment.NAMESPACE,
        "deployment": deployment.DEPLOYMENT_NAME,
        "external": False,
        "eviction_concurrency": given.concurrency,
        "trait_concurrency": dict(given.by_trait),
    }


def _needs(lab: Lab, cloud: OpenStack, hosts: Sequence[Host]) -> Iterator[str]:
    """What a real operator is started with, as lines for a shell."""
    yield f"hypervisors: {', '.join(host.name for host in hosts)}"
    yield f"# {NAME} is left out; start a real one with:"
    for name, value in {"KUBECONFIG": str(lab.admin), **cloud.variables()}.items():
        yield f"export {name}={shlex.quote(value)}"
    yield f"manager {' '.join(_FLAGS)}"


SYSTEM = System(
    NAME,
    wanted=lambda profile: profile.openstack is not None,
    start=_start,
    check=_check,
    binary="openstack-hypervisor-operator",
)
