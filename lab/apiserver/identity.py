"""Which object a write is about: new names and UIDs, and the checks that it is still the one meant (§2.2, §2.4)."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from lab.apiserver.causes import invalid_value
from lab.apiserver.errors import ApiError, conflict, details_of, invalid
from lab.apiserver.requests import WriteRequest
from lab.apiserver.resources import Resource

_SUFFIX = "bcdfghjklmnpqrstvwxz2456789"
_BASE = 58  # characters of generateName that are used
_ATTEMPTS = 8
FIXED = (
    "name", "namespace", "uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds",
    "resourceVersion", "managedFields",
)  # fmt: skip


def generated_name(resource: Resource, base: str, taken: Callable[[str], bool], rng: random.Random) -> str:
    """A free name that starts with `base`; raises 409 after eight collisions."""
    name = ""
    for _ in range(_ATTEMPTS):
        name = base[:_BASE] + "".join(rng.choice(_SUFFIX) for _ in range(5))
        if not taken(name):
            return name
    why = "already exists, the server was not able to generate a unique name for the object"
    message = f'{resource.qualified} "{name}" {why}'
    raise ApiError(409, "AlreadyExists", message, {**details_of(resource, name), "retryAfterSeconds": 1})


def new_metadata(resource: Resource, given: Mapping[str, Any], rng: random.Random, stamp: str) -> dict[str, Any]:
    """Metadata of a new object: what a client may set, and what the server sets. Raises 500 on a resourceVersion."""
    if given.get("resourceVersion"):
        raise ApiError(500, "", "resourceVersion should not be set on objects to be created")
    server_set = (*FIXED[2:], "selfLink")
    metadata = {key: value for key, value in given.items() if key not in server_set}
    metadata["uid"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    metadata["creationTimestamp"] = stamp
    if resource.generation:
        metadata["generation"] = 1
    return metadata


def kept_metadata(given: Mapping[str, Any], present: Mapping[str, Any]) -> Mapping[str, Any]:
    """Metadata of a changed object: what clients cannot change is restored from the present state."""
    if given is present:
        return present
    metadata = {key: value for key, value in given.items() if key not in FIXED and key != "selfLink"}
    return {**metadata, **{key: present[key] for key in FIXED if key in present}}


def refuse_other_object(request: WriteRequest, given: Mapping[str, Any], present: Mapping[str, Any]) -> None:
    """409 (422 for patches of the uid) unless the metadata given is that of the present object and state."""
    if given is present:
        return
    resource, name = request.resource, present["name"]
    uid = given.get("uid")
    if uid and uid != present["uid"]:
        if request.patching and request.entries is None:
            raise invalid(resource, name, [invalid_value("metadata.uid", uid, "field is immutable")])
        raise wrong_uid(resource, name, uid, present["uid"])
    wanted = given.get("resourceVersion")
    if wanted in (None, "", "0"):
        if not request.patching and not resource.unconditional_update:
            cause = invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
            raise invalid(resource, name, [cause])
    elif wanted != present["resourceVersion"]:
        raise conflict(resource, name)


def wrong_uid(resource: Resource, name: str, wanted: str, present: str) -> ApiError:
    """409: another object has the name meanwhile."""
    why = f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {present}"
    return conflict(resource, name, why)
