"""Field selectors: `f=v,f==v,f!=v`, and the value each kind gives for a field (kubernetes-api sheet §3.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.errors import bad_request
from lab.apiserver.resources import Resource

Reader = Callable[[Mapping[str, Any]], str]
_COMMON = ("metadata.name", "metadata.namespace")
_TERMS = re.compile(r"(?:\\.|[^,\\])*(?:\\$)?")  # up to a comma that is not escaped
_SANE = re.compile(r"(?:\\[\\,=]|[^\\=])*")  # a value in which everything special is escaped
_OPERATOR = re.compile(r"(?:\\.|[^=!\\]|!(?!=))*?(?P<operator>!=|==|=)")


@dataclass(frozen=True, slots=True)
class FieldRequirement:
    """One term: the field, whether it must equal the value or differ, and how the field is read."""

    field: str
    equal: bool
    value: str
    read: Reader

    def matches(self, obj: Mapping[str, Any]) -> bool:
        """Whether an object, in its storage version, meets the term."""
        return (self.read(obj) == self.value) == self.equal


def parse_fields(resource: Resource, text: str) -> tuple[FieldRequirement, ...]:
    """The terms of a field selector; raises 400 on bad syntax and on fields this kind does not offer."""
    return tuple(_term(resource, part, text) for part in _split(text) if part)


def _split(text: str) -> list[str]:
    parts, start = [], 0
    while start <= len(text):
        found = _TERMS.match(text, start)
        end = found.end() if found else len(text)
        parts.append(text[start:end])
        start = end + 1
    return parts


def _term(resource: Resource, part: str, text: str) -> FieldRequirement:
    found = _OPERATOR.match(part)
    if found is None:
        raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
    field = part[: found.start("operator")].strip()
    _refuse_unknown(resource, field)
    value = _unescaped(part[found.end() :])
    return FieldRequirement(field, found["operator"] != "!=", value, reader_of(resource, field))


def _unescaped(value: str) -> str:
    sane = _SANE.match(value)
    rest = value[sane.end() :] if sane else value
    if rest:
        problem = "invalid escape sequence" if rest.startswith("\\") else "unescaped character"
        raise bad_request(f"invalid field selector: {problem} in value: {value}")
    return re.sub(r"\\(.)", r"\1", value)


def _refuse_unknown(resource: Resource, field: str) -> None:
    known = (*_COMMON, *(name.lstrip(".") for name in resource.selectable_fields))
    if field in known:
        return
    if resource.custom:
        names = ", ".join(f'"{name}"' for name in known)
        raise bad_request(f'"{field}" is not a known field selector: only {names}')
    raise bad_request(f"field label not supported: {field}")


def reader_of(resource: Resource, field: str) -> Reader:
    """How a field is read from the stored object of a kind; fields that are unset read as ""."""
    special = _SPECIAL.get((resource.group, resource.plural, field))
    if special is not None:
        return special
    if resource.group == "events.k8s.io":
        field = _event_field(field)
    return path_reader(field.split("."))


def path_reader(names: list[str], default: object = "") -> Reader:
    """Reads the value at a path as text; `default` stands for a value that is unset."""

    def read(obj: Mapping[str, Any]) -> str:
        value: Any = obj
        for name in names:
            value = value.get(name) if isinstance(value, Mapping) else None
        return _text(default if value is None else value)

    return read


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _event_field(field: str) -> str:
    """The core name of an events.k8s.io field: that is how events are stored."""
    if field.startswith("regarding."):
        return "involvedObject." + field.removeprefix("regarding.")
    return "reportingComponent" if field == "reportingController" else field


def _event_source(event: Mapping[str, Any]) -> str:
    return str((event.get("source") or {}).get("component") or event.get("reportingComponent") or "")


def _pod_ips(pod: Mapping[str, Any]) -> str:
    return ",".join(entry.get("ip", "") for entry in (pod.get("status") or {}).get("podIPs") or ())


_SPECIAL: dict[tuple[str, str, str], Reader] = {
    ("", "nodes", "spec.unschedulable"): path_reader(["spec", "unschedulable"], False),
    ("", "pods", "spec.hostNetwork"): path_reader(["spec", "hostNetwork"], False),
    ("", "pods", "status.podIPs"): _pod_ips,
    ("", "events", "source"): _event_source,
    ("apps", "replicasets", "status.replicas"): path_reader(["status", "replicas"], 0),
    ("batch", "jobs", "status.successful"): path_reader(["status", "succeeded"], 0),
}
