"""JSON merge patch, RFC 7386 (kubernetes-api sheet §4.3)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.errors import bad_request


def apply_merge_patch(target: Object, body: Any) -> Object:
    """The patched object; what the patch does not name is shared with `target`. Raises 400 if it is no object."""
    if not isinstance(body, dict):
        raise bad_request("the patch is malformed: a merge patch is an object")
    patched: Object = merged(target, body)
    return patched


def merged(target: Any, patch: Any) -> Any:
    """null deletes, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = merged(result.get(key), value)
        else:
            result[key] = value
    return result
