"""The systems that a choice asks for, and the binaries that take the place of some."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.choice import Choice, ChoiceError
from lab.systems.system import System


@dataclass(frozen=True, slots=True)
class Systems:
    """Systems in the order in which they start."""

    all: tuple[System, ...]

    def __iter__(self) -> Iterator[System]:
        return iter(self.all)

    @property
    def replaceable(self) -> tuple[System, ...]:
        """Those whose place a real one may take."""
        return tuple(system for system in self.all if system.binary)

    def wanted(self, choice: Choice) -> tuple[System, ...]:
        """Those of a choice; raises ChoiceError when they cannot be as it says."""
        wanted = tuple(system for system in self.all if system.wanted(choice.profile))
        for name in sorted({*choice.without, *choice.externals}):
            if self._named(name) not in wanted:
                raise ChoiceError(f"lab profile {choice.profile.name!r} has no {name}; choose another, such as full")
            if name in choice.without and name in choice.externals:
                raise ChoiceError(f"{name} cannot be left out and run; choose one of the two")
        for system in wanted:
            system.check(choice)
        return wanted

    def binaries(self, words: Iterable[str]) -> Mapping[str, Path]:
        """Programs by system, of words such as `hypervisor-operator=PATH`; without a path it is looked for.

        Raises ChoiceError for a system that has no binary, and for a path where no program is.
        """
        found = {}
        for word in words:
            name, equals, text = word.partition("=")
            system = self._named(name)
            path = Path(text).expanduser() if equals else shutil.which(system.binary)
            if path is None:
                raise ChoiceError(f"{name}: no program {system.binary} in PATH; say where it is: {name}=PATH")
            found[name] = Path(path).resolve()
            if not found[name].is_file() or not os.access(found[name], os.X_OK):
                raise ChoiceError(f"{name}: {path} is no program; build it first, or correct the path")
        return found

    def _named(self, name: str) -> System:
        for system in self.replaceable:
            if system.name == name:
                return system
        known = ", ".join(system.name for system in self.replaceable)
        raise ChoiceError(f"unknown system {name!r}; a real one can take the place of: {known}")
