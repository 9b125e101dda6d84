"""Server-side apply (kubernetes-api sheet §4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from lab.apiserver.admission import Object
from lab.apiserver.equality import same
from lab.apiserver.errors import ApiError, Cause, bad_request
from lab.apiserver.patching.fieldsets import Tree, differences, leaves, missing, overlap, tracked
from lab.apiserver.patching.managed import Entry, Manager, fields_of, ordered, without
from lab.apiserver.patching.paths import SELF, elements, member, printed
from lab.apiserver.patching.shape import Shape

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True, slots=True)
class Applied:
    """The object after an apply, and its managedFields."""

    obj: Object
    entries: Sequence[Entry]


def apply(
    shape: Shape, live: Object, entries: Sequence[Entry], config: Mapping[str, Any], manager: Manager, force: bool
) -> Applied:
    """Merge an applied configuration into the live object (an empty one when it is created).

    config: what the manager wants to own, and nothing else. Raises 409 when others own fields it would change (unless
    forced), 400 when a keyed list cannot be told apart.
    """
    wanted = _owned(shape, config)
    merged = _merge(shape, live, _clean(config))
    own = next((entry for entry in entries if _is_apply_of(entry, manager)), None)
    others = [entry for entry in entries if entry is not own]
    changed = differences(shape, tracked(live), tracked(merged))[0] or {}
    conflicts = [(entry, path) for entry in others for path in overlap(changed, fields_of(entry))]
    if conflicts and not force:
        raise _refusal(conflicts)
    if conflicts:
        others = [left for entry in others for left in without(entry, changed)]
    dropped = missing(fields_of(own), wanted) if own else {}
    pruned = _prune(shape, merged, dropped, [wanted, *(fields_of(entry) for entry in others)])
    if own is not None and own["apiVersion"] == manager.api_version and fields_of(own) == wanted and not conflicts:
        return Applied(pruned, entries)
    return Applied(pruned, ordered([*others, manager.entry("Apply", wanted)] if wanted else others))


def with_last_applied(obj: Object, config: Mapping[str, Any]) -> Object:
    """The object with kubectl's annotation rewritten from the configuration, if it carries that annotation."""
    annotations = obj["metadata"].get("annotations") or {}
    if LAST_APPLIED not in annotations:
        return obj
    own = {name: text for name, text in _annotations(config).items() if name != LAST_APPLIED}
    metadata = {key: value for key, value in config["metadata"].items() if key != "annotations"}
    if own:
        metadata["annotations"] = own
    text = orjson.dumps({**config, "metadata": metadata}, option=orjson.OPT_SORT_KEYS).decode() + "\n"
    return {**obj, "metadata": {**obj["metadata"], "annotations": {**annotations, LAST_APPLIED: text}}}


def _annotations(config: Mapping[str, Any]) -> Mapping[str, str]:
    return config["metadata"].get("annotations") or {}


def _owned(shape: Shape, config: Mapping[str, Any]) -> Tree:
    found = tracked(_clean(config))
    _refuse_ambiguous(shape, found, ())
    return leaves(shape, found) if found else {}


def _clean(value: Any) -> Any:
    """The value without nulls in its maps: they set nothing."""
    if isinstance(value, Mapping):
        return {key: _clean(item) for key, item in value.items() if item is not None}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def _refuse_ambiguous(shape: Shape, value: Any, path: tuple[str, ...]) -> None:
    if isinstance(value, Mapping) and not shape.atomic:
        for name, item in value.items():
            _refuse_ambiguous(shape.member(name), item, (*path, member(name)))
    elif isinstance(value, list) and shape.listed != "atomic":
        found = elements(shape, value)
        if found is None:
            where = printed(path)
            raise bad_request(
                f"failed to create typed patch object: {where}: elements are not unique or lack their key"
            )
        for element, item in found.items():
            _refuse_ambiguous(shape.element, item, (*path, element))


def _merge(shape: Shape, live: Any, config: Any) -> Any:
    if isinstance(live, dict) and isinstance(config, dict) and not shape.atomic:
        result = dict(live)
        for name, value in config.items():
            result[name] = _merge(shape.member(name), live[name], value) if name in live else value
        return result
    if isinstance(live, list) and isinstance(config, list) and shape.listed != "atomic":
        present, wanted = elements(shape, live), elements(shape, config)
        if present is not None and wanted is not None:
            both = {
                element: _merge(shape.element, present[element], wanted[element])
                for element in present.keys() & wanted.keys()
            }
            return [
                *({**present, **both}).values(),
                *(item for element, item in wanted.items() if element not in present),
            ]
    return live if same(live, config) else config


def _prune(shape: Shape, value: Any, dropped: Tree, kept: Sequence[Tree]) -> Any:
    """The value without dropped fields that nobody else keeps; containers that become empty go with them."""
    if not dropped:
        return value
    if isinstance(value, Mapping):
        present: dict[str, tuple[str, Any]] = {member(name): (name, item) for name, item in value.items()}
        left = _prune_elements(shape, {path: item for path, (_, item) in present.items()}, dropped, kept)
        return {present[path][0]: item for path, item in left.items()}
    if isinstance(value, list):
        found = elements(shape, value)
        if found is not None:
            return list(_prune_elements(shape, found, dropped, kept).values())
    return value


def _prune_elements(shape: Shape, present: dict[str, Any], dropped: Tree, kept: Sequence[Tree]) -> dict[str, Any]:
    result = dict(present)
    for path, gone in dropped.items():
        if path not in result:
            continue
        keepers = [tree[path] for tree in kept if path in tree]
        if not keepers and (not gone or SELF in gone):
            del result[path]
            continue
        inner = shape.member(path.removeprefix("f:")) if path.startswith("f:") else shape.element
        left = _prune(inner, result[path], gone, keepers)
        if left or keepers or left == result[path]:
            result[path] = left
        else:
            del result[path]
    return result


def _is_apply_of(entry: Entry, manager: Manager) -> bool:
    return (
        entry.get("manager") == manager.name
        and entry["operation"] == "Apply"
        and entry.get("subresource", "") == manager.subresource
    )


def _refusal(conflicts: Sequence[tuple[Entry, tuple[str, ...]]]) -> ApiError:
    causes = [
        Cause("FieldManagerConflict", f"conflict with {_named(entry)}", printed(path)) for entry, path in conflicts
    ]
    if len(conflicts) == 1:
        entry, path = conflicts[0]
        text = f"Apply failed with 1 conflict: conflict with {_named(entry)}: {printed(path)}"
    else:
        paths: dict[str, list[str]] = {}
        for entry, path in conflicts:
            paths.setdefault(_named(entry), []).append(printed(path))
        lines = [f"conflicts with {name}:\n" + "\n".join(f"- {path}" for path in paths[name]) for name in sorted(paths)]
        text = f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
    return ApiError(409, "Conflict", text, {"causes": [cause.to_json() for cause in causes]})


def _named(entry: Entry) -> str:
    name = f'"{entry.get("manager", "")}"'
    if entry.get("subresource"):
        name += f' with subresource "{entry["subresource"]}"'
    return f"{name} using {entry['apiVersion']}" if entry["operation"] == "Update" else name
