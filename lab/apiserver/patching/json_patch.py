"""JSON patch, RFC 6902 (kubernetes-api sheet §4.2)."""

from __future__ import annotations

from typing import Any

import jsonpatch

from lab.apiserver.admission import Object
from lab.apiserver.errors import ApiError, bad_request

LIMIT = 10_000  # operations
_REFUSED = "the server rejected our request due to an error in our request"


def apply_json_patch(target: Object, body: Any) -> Object:
    """The patched object. Raises 400 on a malformed document, 413 on too many operations, 422 when one fails."""
    if not isinstance(body, list):
        raise bad_request("the patch is malformed: a JSON patch is an array of operations")
    if len(body) > LIMIT:
        message = f"The allowed maximum operations in a JSON patch is {LIMIT}, got {len(body)}"
        raise ApiError(413, "RequestEntityTooLarge", message)
    try:
        patch = jsonpatch.JsonPatch(body)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError, AttributeError) as error:
        raise bad_request(f"the patch is malformed: {error}") from error
    try:
        patched = patch.apply(target)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError) as error:
        raise ApiError(422, "Invalid", _REFUSED, {}) from error
    if not isinstance(patched, dict):
        raise ApiError(422, "Invalid", _REFUSED, {})
    return patched
