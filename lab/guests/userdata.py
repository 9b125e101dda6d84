"""cloud-init user data: what of it the simulated guests understand (kubevirt sheet §9.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from lab.guests.errors import UserDataError

Command: TypeAlias = str | tuple[str, ...]
"""A line for the shell, or the arguments of a program."""

_KEYS = frozenset(
    {"user", "password", "chpasswd", "ssh_pwauth", "ssh_authorized_keys", "runcmd", "write_files", "hostname"}
)


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One entry of `write_files`."""

    path: str
    content: str
    mode: int = 0o644
    owner: str = "root"


@dataclass(frozen=True, slots=True)
class UserData:
    """The user data of one VM. `user` None is the image's own default account; `password` None locks it."""

    user: str | None = None
    password: str | None = None
    password_expires: bool = True
    ssh_password_login: bool = False
    authorized_keys: tuple[str, ...] = ()
    run_commands: tuple[Command, ...] = ()
    files: tuple[WrittenFile, ...] = ()
    hostname: str | None = None


def parse_user_data(text: str | None) -> UserData:
    """Read `userData`: `#cloud-config` YAML, a `#!` script (run at boot), or nothing at all.

    Raises UserDataError for anything else, and for keys that are not simulated: a VM that asks for `packages` must not
    seem to have got them.
    """
    if text is None or not text.strip():
        return UserData()
    if text.startswith("#!"):
        return UserData(run_commands=(text,))
    if text.split("\n", 1)[0].strip() != "#cloud-config":
        raise UserDataError("user data starts with neither #cloud-config nor #!")
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserDataError(f"user data is not YAML: {error}") from error
    config = _mapping(loaded or {}, "user data")
    unknown = sorted(set(config) - _KEYS)
    if unknown:
        raise UserDataError(f"cloud-config key {unknown[0]!r} is not simulated")
    return _user_data(config)


def _user_data(config: Mapping[str, object]) -> UserData:
    password = config.get("password")
    return UserData(
        user=_user(config.get("user")),
        password=None if password is None else str(password),
        password_expires=_expires(config.get("chpasswd")),
        ssh_password_login=_flag(config.get("ssh_pwauth", False), "ssh_pwauth"),
        authorized_keys=tuple(str(key).strip() for key in _sequence(config, "ssh_authorized_keys")),
        run_commands=tuple(
            tuple(str(word) for word in item) if isinstance(item, list) else str(item)
            for item in _sequence(config, "runcmd")
        ),
        files=tuple(_written(item) for item in _sequence(config, "write_files")),
        hostname=str(config["hostname"]) if "hostname" in config else None,
    )


def _user(value: object) -> str | None:
    if isinstance(value, dict):
        entry = _mapping(value, "user")
        if set(entry) != {"name"}:
            raise UserDataError("cloud-config user: only `name` is simulated")
        value = entry["name"]
    return None if value is None else str(value)


def _expires(value: object) -> bool:
    """Whether the password must be changed at the first login; cloud-init's default is yes."""
    if value is None:
        return True
    entry = _mapping(value, "chpasswd")
    if set(entry) - {"expire"}:
        raise UserDataError("cloud-config chpasswd: only `expire` is simulated")
    return _flag(entry.get("expire", True), "chpasswd.expire")


def _written(value: object) -> WrittenFile:
    entry = _mapping(value, "write_files")
    if set(entry) - {"path", "content", "permissions", "owner"} or "path" not in entry:
        raise UserDataError("cloud-config write_files: only path, content, permissions and owner are simulated")
    try:
        mode = int(str(entry.get("permissions", "0644")), 8)
    except ValueError as error:
        raise UserDataError(f"cloud-config write_files: permissions {entry['permissions']!r} are not octal") from error
    owner = str(entry.get("owner", "root")).split(":")[0]
    return WrittenFile(str(entry["path"]), str(entry.get("content", "")), mode, owner)


def _mapping(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UserDataError(f"cloud-config {where}: a mapping is expected, not {type(value).__name__}")
    return {str(key): item for key, item in value.items()}


def _sequence(config: Mapping[str, object], key: str) -> list[object]:
    value = config.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise UserDataError(f"cloud-config {key}: a list is expected, not {type(value).__name__}")
    return value


def _flag(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() in ("yes", "true", "on", "1"):
        return True
    if str(value).lower() in ("no", "false", "off", "0"):
        return False
    raise UserDataError(f"cloud-config {where}: {value!r} is neither yes nor no")
