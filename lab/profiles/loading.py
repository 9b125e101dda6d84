"""Profiles by name: a file may extend another; bad input is one error that names file and field."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import yaml
from pydantic import ValidationError

from lab.profiles.profile import Profile, ProfileError

FOLDER = resources.files("lab.profiles")
_SUFFIX = ".yaml"


def names(folder: Traversable = FOLDER) -> tuple[str, ...]:
    """Names of the profiles that exist."""
    return tuple(sorted(entry.name.removesuffix(_SUFFIX) for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)))


def load(name: str, folder: Traversable = FOLDER) -> Profile:
    """The profile of that name; raises ProfileError naming the known ones, or the file and field that is wrong.

    `extends: NAME` starts from another profile: mappings are joined field by field, everything else is replaced.
    """
    if name not in names(folder):
        raise ProfileError(f"unknown lab profile {name!r}; known profiles: {', '.join(names(folder))}")
    content = _extended(name, folder, ())
    try:
        return Profile.model_validate({**content, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ProfileError(f"{_file(name)}: {where}: {first['msg']}") from error


def _extended(name: str, folder: Traversable, children: tuple[str, ...]) -> dict[str, Any]:
    content = _content(name, folder)
    parent = content.pop("extends", None)
    if parent is None:
        return content
    chain = (*children, name)
    if parent in chain:
        raise ProfileError(f"{_file(name)}: extends: {' extends '.join((*chain, str(parent)))}")
    if parent not in names(folder):
        raise ProfileError(
            f"{_file(name)}: extends: unknown lab profile {parent!r}; known profiles: {', '.join(names(folder))}"
        )
    below = _extended(parent, folder, chain)
    below.pop("description", None)  # says what the parent is
    return _joined(below, content)


def _content(name: str, folder: Traversable) -> dict[str, Any]:
    try:
        content = yaml.safe_load(folder.joinpath(name + _SUFFIX).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ProfileError(f"{_file(name)}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise ProfileError(f"{_file(name)}: a profile is a mapping of fields")
    return content


def _joined(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    joined = dict(below)
    for key, value in above.items():
        known = joined.get(key)
        joined[key] = _joined(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return joined


def _file(name: str) -> str:
    return f"lab/profiles/{name}{_SUFFIX}"
