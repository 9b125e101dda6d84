"""The site a run talks to: the embedded lab, started for it, or the cluster of a site file; opened when first asked."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from utilities.errors import Blocked, SuiteError
from utilities.plugin import facts, labprocess
from utilities.plugin.distribution import TAKEN_BACK, tell
from utilities.plugin.run import RUN
from utilities.site import Site, load_site

if TYPE_CHECKING:
    from utilities.clients import Clients, Versions
    from utilities.cortex import Cortex
    from utilities.kubevirt.actor import Actor
    from utilities.kubevirt.inventory import Item
    from utilities.nova import Nova
    from utilities.reversible import Journal
    from utilities.sharing.session import Sharing


@dataclass(frozen=True, slots=True)
class Actors:
    """Who acts on the site. unprivileged: None if the site names no such user."""

    admin: Actor
    unprivileged: Actor | None


class OpenSite:
    """One process' way to the site. Everything in it ends with `close`."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._stack = ExitStack()
        self._before: frozenset[Item] | None = None
        self._cloud_before: frozenset[Item] | None = None
        self.leftovers: tuple[str, ...] = ()

    @cached_property
    def file(self) -> Path:
        """The site file; a lab is started for it, unless whoever started us has one for all."""
        return self._stack.enter_context(_file(self._config))

    @cached_property
    def site(self) -> Site:
        """The site."""
        return load_site(self.file)

    @cached_property
    def actors(self) -> Actors:
        """Connections of its users."""
        from utilities.kubevirt.actor import Actor
        from utilities.kubevirt.inventory import inventory

        admin, user, journal = self._clients.admin, self._clients.unprivileged, self._journal
        if self._looks_back:
            self._before = inventory(admin.rest)
        return Actors(Actor(self.site, admin, journal), Actor(self.site, user, journal) if user else None)

    @cached_property
    def _clients(self) -> Clients:
        from utilities.clients import connected

        return self._stack.enter_context(connected(self.site))

    @cached_property
    def nova(self) -> Nova:
        """The site's cloud. Raises Blocked when it has none."""
        from utilities.nova import connected_nova

        found = self._stack.enter_context(connected_nova(self.site, self.run_id, self._journal))
        if self._looks_back:
            self._cloud_before = self._cloud_inventory(found)
        return found

    @cached_property
    def cortex(self) -> Cortex:
        """The scheduler of the site's cloud. Raises Blocked when it has none."""
        from utilities.cortex import connected_cortex

        return self._stack.enter_context(connected_cortex(self.site, self.actors.admin, self.run_id))

    @cached_property
    def run_id(self) -> str:
        """What names of everything carry that this process makes, e.g. `gw0-4f2a91`."""
        return f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{uuid.uuid4().hex[:6]}"

    @property
    def _looks_back(self) -> bool:
        """Whether we look what is left in the end: on a lab, unless whoever started us does that for all."""
        return self.site.kind == "lab" and not _lab_of_all(self._config)

    def _ours(self, item: Item) -> bool:
        """Whether it is ours: what is new on a lab that was started for us, else what carries our name."""
        return self._config.option.site == "lab" or self.run_id in f"{item.namespace}/{item.name}"

    @cached_property
    def sharing(self) -> Sharing | None:
        """Our turns on a cluster that others use too, and our journal there; None on a lab of our own."""
        option = self._config.option
        if option.site == "lab" and not option.lab_shared:
            return None
        from utilities.kubevirt.actor import Actor
        from utilities.recovery import undoers
        from utilities.sharing.session import Sharing

        successor = Actor(self.site, self._clients.admin)  # whoever takes others' changes back keeps no journal of that
        made = Sharing(successor.waits, self.site.kubernetes.lock_namespace, undoers(successor, lambda: self.nova))
        self._stack.callback(made.journal.close)
        return made

    @property
    def _journal(self) -> Journal:
        from utilities.reversible import UNWRITTEN

        return self.sharing.journal if self.sharing is not None else UNWRITTEN

    @property
    def taken_back(self) -> tuple[str, ...]:
        """What was found changed by runs that are gone, and what has become of it."""
        sharing = self.__dict__.get("sharing")
        return tuple(sharing.succession.told) if sharing is not None else ()

    @cached_property
    def versions(self) -> Versions:
        """What is installed."""
        from utilities.clients import observe_versions

        return observe_versions(self.actors.admin.rest, self.site.product_section)

    @cached_property
    def capabilities(self) -> Mapping[str, int]:
        """What tests may need, counted once."""
        from utilities.vgpu.capabilities import capabilities

        return capabilities(self.actors.admin)

    @cached_property
    def cloud_capabilities(self) -> Mapping[str, int]:
        """The same of its cloud, which is not asked unless a test needs it. Raises Blocked when it has none."""
        from utilities.hypervisors.capabilities import capabilities

        return capabilities(self.actors.admin, self.nova)

    @cached_property
    def cortex_capabilities(self) -> Mapping[str, int]:
        """The same of its Cortex. Raises Blocked when it has none."""
        from utilities.cortex.capabilities import capabilities

        return capabilities(self.cortex)

    @property
    def observed(self) -> dict[str, str]:
        """What is installed, for reports; nothing when the site was never opened or does not tell."""
        if "actors" not in self.__dict__:
            return {}
        try:
            return facts.of_versions(self.site, self.versions) | self.cloud_facts() | facts.of_cortex(self.site)
        except SuiteError:
            return {}

    def cloud_facts(self) -> dict[str, str]:
        """What the cloud and its operator are, if they were asked already."""
        if "nova" not in self.__dict__:
            return {}
        from utilities.hypervisors import Operator

        return facts.of_cloud(self.nova.cloud.microversion, Operator(self.actors.admin).describe())

    def recount(self) -> None:
        """Forget what the site offers: others may have had some of it when it was counted, and have no more."""
        for counted in ("capabilities", "cloud_capabilities", "cortex_capabilities"):
            self.__dict__.pop(counted, None)

    def require(self, needs: Mapping[str, int]) -> None:
        """Raise Blocked naming what the site lacks."""
        offers = {name: self._offered(name) for name in needs}
        missing = [f"{name} {count} (offers {offers[name]})" for name, count in needs.items() if offers[name] < count]
        if missing:
            raise Blocked(
                f"site {self.site.name} lacks {', '.join(missing)}",
                next_step="give the site what is missing, or run the test on another one",
            )

    def _offered(self, need: str) -> int:
        from utilities.cortex.capabilities import NAMES as CORTEX
        from utilities.hypervisors.capabilities import NAMES as CLOUD

        if need in CORTEX:
            return self.cortex_capabilities.get(need, 0)
        return (self.cloud_capabilities if need in CLOUD else self.capabilities).get(need, 0)

    def close(self) -> None:
        """Close connections; a lab ends. On a lab, what is there now and was not before becomes `leftovers`."""
        with self._stack:
            self.leftovers = tuple(self._left())

    def _left(self) -> Iterator[str]:
        from utilities.kubevirt.inventory import inventory, left_since

        try:
            left: list[Item] = []
            if self._before is not None:
                left += left_since(self._before, inventory(self.actors.admin.rest))
            if self._cloud_before is not None:
                left += left_since(self._cloud_before, self._cloud_inventory(self.nova))
            yield from (str(item) for item in left if self._ours(item))
        except SuiteError as error:
            yield f"unknown, because the lab cannot be asked: {error.what}"

    def _cloud_inventory(self, nova: Nova) -> frozenset[Item]:
        """What can be left on the cloud and its hypervisors beside objects of Kubernetes."""
        from utilities.hypervisors.inventory import inventory as of_hypervisors
        from utilities.nova.inventory import inventory as of_nova

        return of_nova(nova) | of_hypervisors(self.actors.admin.rest)


SITE: pytest.StashKey[OpenSite] = pytest.StashKey()
_FACTS: pytest.StashKey[dict[str, str]] = pytest.StashKey()
SHARED_LAB = "shared_lab"


def lab_choice(config: pytest.Config) -> labprocess.LabChoice:
    """The lab that the command line asks for."""
    option, directory = config.option, config.invocation_params.dir
    return labprocess.LabChoice(
        option.lab_profile,
        tuple(option.lab_fault),
        option.lab_seed,
        option.lab_time_scale,
        operator=option.lab_operator,
        externals=tuple(_resolved(external, directory) for external in option.lab_external),
    )


def _resolved(external: str, directory: Path) -> str:
    """The same with an absolute path: the lab starts elsewhere."""
    name, equals, path = external.partition("=")
    return f"{name}={directory / Path(path).expanduser()}" if equals else name


def _lab_of_all(config: pytest.Config) -> str | None:
    """Site file of the lab that all workers share, in a worker."""
    return getattr(config, "workerinput", {}).get(SHARED_LAB)


@contextmanager
def _file(config: pytest.Config) -> Iterator[Path]:
    given = _lab_of_all(config) or (config.option.site if config.option.site != "lab" else None)
    if given is not None:
        yield Path(given)
        return
    directory = config.stash[RUN].results / f"lab-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    with labprocess.running(lab_choice(config), directory) as path:
        yield path


def share_lab(config: pytest.Config) -> dict[str, str]:
    """What workers have to know to find the lab that they share, which is started by then; nothing if they do not."""
    if config.option.site != "lab" or not config.option.lab_shared:
        return {}
    opened = config.stash[SITE]
    _ = opened.actors  # what is there now is not left behind by anybody
    if opened.site.openstack_section is not None:
        _ = opened.nova
    return {SHARED_LAB: str(opened.file)}


def preflight(config: pytest.Config) -> None:
    """Raise SuiteError when the site file is wrong, nobody answers, or a system that it names is not there."""
    opened = OpenSite(config)
    try:
        installed = facts.of_versions(opened.site, opened.versions)
        if opened.site.openstack_section is not None:
            _ = opened.nova
            installed |= opened.cloud_facts()
        installed |= facts.of_cortex(opened.site)
        config.stash[_FACTS] = facts.of_site(opened.site, str(config.option.site)) | installed
        if opened.sharing is not None and not config.option.dry_run:
            from utilities.recovery import recovered

            recovered(opened.sharing, say=lambda text: print(text, file=sys.stderr, flush=True))
            tell(config, TAKEN_BACK, opened.taken_back)
    finally:
        opened.close()


def target(config: pytest.Config) -> dict[str, str]:
    """What is known about the site without any worker's help."""
    if config.option.site == "lab":
        return facts.of_lab(vars(config.option))
    return config.stash[_FACTS]
