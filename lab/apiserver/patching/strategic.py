"""Strategic merge patch of built-in kinds: keyed lists merge, directives steer (kubernetes-api sheet §4.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.errors import bad_request
from lab.apiserver.patching.shape import Shape

_PATCH = "$patch"
_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder/"
_DROP = "$deleteFromPrimitiveList/"


def apply_strategic_patch(shape: Shape, target: Object, body: Any) -> Object:
    """The patched object. Raises 400 on a malformed patch."""
    if not isinstance(body, Mapping):
        raise bad_request("the patch is malformed: a strategic merge patch is an object")
    return _merge_map(shape, target, body) or {}


def _merge_map(shape: Shape, target: Mapping[str, Any], patch: Mapping[str, Any]) -> Object | None:
    """The merged map; None when the patch deletes it."""
    directive = patch.get(_PATCH)
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _PATCH}
    if directive == "delete":
        return None
    if directive not in (None, "merge"):
        raise bad_request(f"Unknown patch type found: {directive}")
    result = dict(target)
    if _RETAIN in patch:
        kept = set(_names(patch[_RETAIN], _RETAIN))
        result = {key: value for key, value in result.items() if key in kept}
    for key, value in patch.items():
        if key in (_PATCH, _RETAIN) or key.startswith((_ORDER, _DROP)):
            continue
        if value is None:
            result.pop(key, None)
        else:
            _merge_member(shape.member(key), result, key, value)
    for key, value in patch.items():
        if key.startswith(_DROP):
            _drop(result, key.removeprefix(_DROP), _names(value, key))
        elif key.startswith(_ORDER):
            _order(shape, result, key.removeprefix(_ORDER), value)
    return result


def _merge_member(shape: Shape, result: Object, key: str, value: Any) -> None:
    present = result.get(key)
    if isinstance(value, Mapping):
        merged = _merge_map(shape, present if isinstance(present, Mapping) else {}, value)
        if merged is None:
            result.pop(key, None)
        else:
            result[key] = merged
    elif isinstance(value, list):
        result[key] = _merge_list(shape, present if isinstance(present, list) else [], value)
    else:
        result[key] = value


def _merge_list(shape: Shape, target: Sequence[Any], patch: list[Any]) -> list[Any]:
    replaces = {_PATCH: "replace"}
    if any(element == replaces for element in patch):
        return [_plain(element) for element in patch if element != replaces]
    if shape.listed == "set":
        return _union(target, patch)
    key = shape.strategic_key
    if not key:
        return [_plain(element) for element in patch]
    result = list(target)
    for element in patch:
        _merge_element(shape, key, result, element)
    return result


def _union(target: Sequence[Any], patch: Sequence[Any]) -> list[Any]:
    result = list(target)
    for element in patch:
        if element not in result:
            result.append(element)
    return result


def _merge_element(shape: Shape, key: str, result: list[Any], element: Any) -> None:
    if not isinstance(element, Mapping) or key not in element:
        raise bad_request(f"map: {element} does not contain declared merge key: {key}")
    at = next((index for index, old in enumerate(result) if _key_of(old, key) == element[key]), None)
    if element.get(_PATCH) == "delete":
        result[:] = [old for old in result if _key_of(old, key) != element[key]]
        return
    merged = _merge_map(shape.element, {} if at is None else result[at], element)
    if at is None:
        result.append(merged)
    else:
        result[at] = merged


def _plain(value: Any) -> Any:
    """A patch value put in as it is: nulls and directives inside maps mean nothing there."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if item is not None and not key.startswith("$")}
    return value


def _key_of(element: Any, key: str) -> Any:
    return element.get(key) if isinstance(element, Mapping) else None


def _drop(result: Object, name: str, values: list[Any]) -> None:
    left = [value for value in result.get(name) or () if value not in values]
    if left:
        result[name] = left
    else:
        result.pop(name, None)


def _order(shape: Shape, result: Object, name: str, wanted: Any) -> None:
    """Put listed elements first, in the order listed; the others keep theirs."""
    present = result.get(name)
    if not isinstance(present, list):
        return
    key = shape.member(name).strategic_key
    listed = _names(wanted, _ORDER + name)
    ranks = [_key_of(element, key) if key else element for element in listed]

    def rank(element: Any) -> int:
        value = _key_of(element, key) if key else element
        return ranks.index(value) if value in ranks else len(ranks)

    result[name] = sorted(present, key=rank)


def _names(value: Any, directive: str) -> list[Any]:
    if not isinstance(value, list):
        raise bad_request(f"{directive} must be a list")
    return value
