"""Sets of fields, as the trees that fieldsV1 holds, and the fields in which two objects differ.

A tree maps path elements to trees. Below the root, the empty tree is a leaf: that field as a whole. Trees are shared
and never changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.equality import same
from lab.apiserver.patching.paths import SELF, elements, member
from lab.apiserver.patching.shape import Shape

Tree = Mapping[str, Any]  # path element -> Tree
Path = tuple[str, ...]
LEAF: dict[str, Any] = {}
_UNTRACKED = frozenset(
    (
        "name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields",
        "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
    )
)  # fmt: skip


def tracked(obj: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an object that somebody can own."""
    found = {name: value for name, value in obj.items() if name not in ("apiVersion", "kind", "metadata")}
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name not in _UNTRACKED}
    return {**found, "metadata": metadata} if metadata else found


def leaves(shape: Shape, value: Any) -> Tree:
    """The fields a value sets; LEAF when it is a leaf itself."""
    if isinstance(value, dict):
        if value and not shape.atomic:
            return {member(name): leaves(shape.member(name), item) for name, item in value.items()}
    elif isinstance(value, list) and value and shape.listed != "atomic":
        found = elements(shape, value)
        if found is not None:
            return {element: _element_leaves(shape, item) for element, item in found.items()}
    return LEAF


def differences(shape: Shape, old: Any, new: Any) -> tuple[Tree | None, Tree | None]:
    """What was set or changed, and what was removed; None: nothing. Parts that are shared cost nothing."""
    if same(old, new):
        return None, None
    if isinstance(old, dict) and isinstance(new, dict) and not shape.atomic:
        return _map_differences(shape, old, new)
    if isinstance(old, list) and isinstance(new, list) and shape.listed != "atomic":
        before, after = elements(shape, old), elements(shape, new)
        if before is not None and after is not None:
            return _list_differences(shape, before, after)
    return LEAF, None


def _map_differences(shape: Shape, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Tree | None, Tree | None]:
    changed: dict[str, Tree] = {}
    removed: dict[str, Tree] = {}
    for name, value in new.items():
        if name not in old:
            changed[member(name)] = leaves(shape.member(name), value)
        elif old[name] is not value:
            _collect(member(name), differences(shape.member(name), old[name], value), changed, removed)
    for name in old:
        if name not in new:
            removed[member(name)] = LEAF
    return changed or None, removed or None


def _list_differences(shape: Shape, old: dict[str, Any], new: dict[str, Any]) -> tuple[Tree | None, Tree | None]:
    changed: dict[str, Tree] = {}
    removed: dict[str, Tree] = {}
    for element, value in new.items():
        if element not in old:
            changed[element] = _element_leaves(shape, value)
        else:
            _collect(element, differences(shape.element, old[element], value), changed, removed)
    removed.update((element, LEAF) for element in old if element not in new)
    return changed or None, removed or None


def _collect(
    element: str, found: tuple[Tree | None, Tree | None], changed: dict[str, Tree], removed: dict[str, Tree]
) -> None:
    if found[0] is not None:
        changed[element] = found[0]
    if found[1] is not None:
        removed[element] = found[1]


def _element_leaves(shape: Shape, item: Any) -> Tree:
    inner = LEAF if shape.listed == "set" else leaves(shape.element, item)
    return {SELF: LEAF, **inner} if inner else LEAF


def union(one: Tree, other: Tree) -> Tree:
    """All fields of both sets."""
    result = dict(one)
    for element, tree in other.items():
        present = result.get(element)
        result[element] = tree if present is None else _both(present, tree)
    return result


def _both(one: Tree, other: Tree) -> Tree:
    if one and other:
        return union(one, other)
    inner = one or other
    return {SELF: LEAF, **inner} if inner else LEAF


def subtract(tree: Tree, other: Tree) -> Tree:
    """The fields not in `other`, whose leaves take everything below them; `tree` itself when nothing goes."""
    result: dict[str, Tree] | None = None
    for element, gone in other.items():
        present = tree.get(element)
        if present is None:
            continue
        left = _without(present, gone)
        if left is present:
            continue
        if result is None:
            result = dict(tree)
        if left is None:
            del result[element]
        else:
            result[element] = left
    return tree if result is None else result


def _without(tree: Tree, gone: Tree) -> Tree | None:
    if not gone:
        return None
    if not tree:
        return None if SELF in gone else tree
    left = subtract(tree, gone)
    if left is tree:
        return tree
    if not left:
        return None
    return LEAF if len(left) == 1 and SELF in left else left


def missing(tree: Tree, other: Tree) -> Tree:
    """The fields not in `other`, field by field: an empty map or list in `other` covers nothing below it."""
    result: dict[str, Tree] = {}
    for element, present in tree.items():
        if element not in other:
            result[element] = present
        elif left := missing(present, other[element]):
            result[element] = left
    return result


def overlap(changed: Tree, owned: Tree, path: Path = ()) -> Iterator[Path]:
    """Paths of the changed leaves that are owned, or under which something is owned."""
    for element, tree in changed.items():
        theirs = owned.get(element)
        if theirs is None:
            continue
        if element == SELF:
            yield path
        elif not tree or (not theirs and SELF in tree):
            yield (*path, element)
        elif theirs:
            yield from overlap(tree, theirs, (*path, element))
