"""What the API server says when it says no: a Kubernetes `Status` with its HTTP code (kubernetes-api sheet §2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.apiserver.resources import Resource

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Cause:
    """One entry of `details.causes`: reason (such as `FieldValueInvalid`), message and field path."""

    reason: str
    message: str
    field: str = ""

    def to_json(self) -> dict[str, str]:
        """The cause as it goes over the wire."""
        body = {"reason": self.reason, "message": self.message}
        return {**body, "field": self.field} if self.field else body


class ApiError(Exception):
    """A refusal: HTTP code, reason and message, with the details real servers give."""

    def __init__(self, code: int, reason: str, message: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details

    @property
    def retry_after(self) -> int | None:
        """Seconds for a `Retry-After` header; None when clients must not retry silently (trap T12)."""
        seconds = (self.details or {}).get("retryAfterSeconds")
        return seconds if isinstance(seconds, int) and seconds > 0 else None

    def status(self) -> dict[str, object]:
        """The `Status` object that is the body of the reply."""
        body: dict[str, object] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        }
        if self.details is not None:
            body["details"] = dict(self.details)
        return body


def details_of(resource: Resource, name: str) -> dict[str, object]:
    """`details` naming an object: the kind is the plural resource, the group is left out for core."""
    group = {"group": resource.group} if resource.group else {}
    return {"name": name, **group, "kind": resource.plural}


def not_found(resource: Resource, name: str) -> ApiError:
    """404: the object is not there."""
    message = f'{resource.qualified} "{name}" not found'
    return ApiError(404, "NotFound", message, details_of(resource, name))


def already_exists(resource: Resource, name: str) -> ApiError:
    """409: a POST of a name that is taken."""
    message = f'{resource.qualified} "{name}" already exists'
    return ApiError(409, "AlreadyExists", message, details_of(resource, name))


def conflict(resource: Resource, name: str, why: str | None = None) -> ApiError:
    """409: the resourceVersion (or a precondition) does not fit the stored object."""
    why = why or "the object has been modified; please apply your changes to the latest version and try again"
    message = f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}'
    return ApiError(409, "Conflict", message, details_of(resource, name))


def bad_request(message: str) -> ApiError:
    """400: the request itself is wrong."""
    return ApiError(400, "BadRequest", message)


def forbidden(resource: Resource, name: str, why: str) -> ApiError:
    """403 about one object."""
    message = f'{resource.qualified} "{name}" is forbidden: {why}'
    return ApiError(403, "Forbidden", message, details_of(resource, name))


def invalid(resource: Resource, name: str, causes: Sequence[Cause]) -> ApiError:
    """422: one or more fields are wrong; `details.kind` is the Kind here, not the plural."""
    kind = f"{resource.kind}.{resource.group}" if resource.group else resource.kind
    parts = [f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes]
    text = parts[0] if len(parts) == 1 else f"[{', '.join(parts)}]"
    group = {"group": resource.group} if resource.group else {}
    details: dict[str, object] = {
        "name": name,
        **group,
        "kind": resource.kind,
        "causes": [cause.to_json() for cause in causes],
    }
    return ApiError(422, "Invalid", f'{kind} "{name}" is invalid: {text}', details)
