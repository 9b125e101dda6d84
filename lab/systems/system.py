"""What a system of a lab is: whether a profile has it, how it is started, what it leaves for its users."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.apiserver.api import Api
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.apiserver.http.front import Front
from lab.choice import Choice
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.profiles import Profile

if TYPE_CHECKING:  # a lab without a cloud imports nothing of it
    from lab.openstack.install import OpenStack


@dataclass(slots=True)
class Lab:
    """What systems are put into. admin: the administrator's kubeconfig; openstack: the cloud once it is started."""

    choice: Choice
    api: Api
    runtime: Runtime
    front: Front
    definitions: DefinitionController
    faults: Faults
    directory: Path
    admin: Path
    openstack: OpenStack | None = None

    @property
    def profile(self) -> Profile:
        """The shape of the lab."""
        return self.choice.profile


async def _nothing() -> None:
    """There is nothing to stop."""


@dataclass(frozen=True, slots=True)
class Started:
    """A system that runs. site: its sections of the site file; tells: lines for who started the lab by hand."""

    site: Mapping[str, Any] = field(default_factory=dict)
    tells: tuple[str, ...] = ()
    stop: Callable[[], Awaitable[None]] = _nothing


@dataclass(frozen=True, slots=True)
class System:
    """One system. `check` raises ChoiceError for a choice it cannot serve; `binary`: name of the
    real one that may take its place.

    `start` is also called when it is left out for a real one: it then prepares what that needs, and tells it.
    """

    name: str
    wanted: Callable[[Profile], bool]
    start: Callable[[Lab], Awaitable[Started]]
    check: Callable[[Choice], None] = lambda _: None
    binary: str = ""
