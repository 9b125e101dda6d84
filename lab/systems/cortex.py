"""Cortex beside the profile's cloud: simulated, or left out with everything prepared for a real one."""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lab.choice import Choice, ChoiceError
from lab.systems.system import Lab, Started, System

if TYPE_CHECKING:
    from lab.cortex.conf import Conf
    from lab.openstack.install import OpenStack

NAME = "cortex"


def _check(choice: Choice) -> None:
    if NAME in choice.externals:
        raise ChoiceError(f"{NAME} reads its files from fixed paths: start it yourself, and say --without {NAME}")
    if choice.cortex_url and NAME not in choice.without:
        raise ChoiceError(f"--cortex-url is where a real one answers: say --without {NAME} too")
    if choice.cortex_url and not _is_url(choice.cortex_url):
        raise ChoiceError(f"--cortex-url {choice.cortex_url} is no URL such as http://127.0.0.1:8080")


def _is_url(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _conf(choice: Choice) -> Conf:
    from lab.cortex.conf import Conf

    shape = choice.profile.cortex
    assert shape is not None, "only for profiles that have one"
    return Conf(revision=shape.revision, tracking=shape.tracking)


async def _start(lab: Lab) -> Started:
    from lab.cortex.install import install_definitions
    from lab.node_agent.install import install as install_agents

    cloud = lab.openstack
    assert cloud is not None, "systems start in order"
    conf = _conf(lab.choice)
    install_definitions(lab.api, lab.definitions, cloud.cloud.state.flavors.values(), conf.revision)
    install_agents(lab.api, lab.runtime, cloud.cloud.state, faults=lab.faults)
    if NAME in lab.choice.without:
        return _left_out(lab, cloud, conf)
    return await _simulate(lab, cloud, conf)


async def _simulate(lab: Lab, cloud: OpenStack, conf: Conf) -> Started:
    from lab.cortex.install import CALLER, install
    from lab.cortex.reservations.install import install as install_reservations
    from lab.cortex.reservations.near import NearCortex, NovasDoor
    from lab.cortex.reservations.vms import NovasVms

    seed = lab.choice.seed
    cortex = install(lab.api, lab.runtime, conf, faults=lab.faults, seed=seed)
    front = cortex.front
    vms = NovasVms(cloud.cloud.state)
    install_reservations(lab.api, cortex.process, front.answer, CALLER, faults=lab.faults, seed=seed, vms=vms)
    near = NearCortex(front.answer, lab.api.clock, random.Random(f"{seed}/cortex/novas-wire"))
    cloud.cloud.searches.connect(NovasDoor(near))
    await front.start()
    steers = conf.revision if conf.revision != "R0" else None
    section = {"url": front.url, "metrics": front.metrics_url, "revision": steers}
    tells = (f"cortex: {front.url}", f"metrics of cortex: {front.metrics_url}")
    return Started(site={NAME: section}, tells=tells, stop=front.stop)


def _left_out(lab: Lab, cloud: OpenStack, conf: Conf) -> Started:
    from lab.cortex.http.answers import PATH
    from lab.cortex.real import METRICS_PORT, PORT, add_secret, write_files
    from lab.cortex.reservations.settings import Settings
    from lab.openstack.compute.external.far import FarScheduler

    url = (lab.choice.cortex_url or f"http://127.0.0.1:{PORT}").rstrip("/")
    add_secret(lab.api, cloud.variables())
    write_files(lab.directory / NAME, conf, Settings(), lab.front.authority.server())
    door = FarScheduler(f"{url}{PATH}")
    cloud.cloud.searches.connect(door)
    section = {"url": url, "metrics": f"http://{urlsplit(url).hostname}:{METRICS_PORT}/metrics", "revision": None}
    return Started(site={NAME: section}, tells=tuple(_needs(lab, url)), stop=door.stop)


def _needs(lab: Lab, url: str) -> Iterator[str]:
    """What a real one is started with, as lines for a shell."""
    from lab.cortex.real import command

    files = lab.directory / NAME
    yield f"cortex: expected at {url}"
    yield f"# {NAME} is left out; start a real one with:"
    yield f"install -D -t /etc/config {shlex.quote(str(files / 'conf.json'))}"
    yield f"install -D -t /etc/secrets {shlex.quote(str(files / 'secrets.json'))}"
    yield f"export KUBECONFIG={shlex.quote(str(lab.admin))}"
    yield command(files)


SYSTEM = System(NAME, wanted=lambda profile: profile.cortex is not None, start=_start, check=_check, binary="manager")
