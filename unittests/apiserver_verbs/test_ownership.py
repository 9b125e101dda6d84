"""Field sets and their laws: nothing is unowned, nothing owned that is not there (kubernetes-api sheet §4.5)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.apiserver.patching.fieldsets import LEAF, differences, leaves, missing, overlap, subtract, tracked, union
from lab.apiserver.patching.managed import Entry, Manager, fields_of, record_update
from lab.apiserver.patching.merge import merged
from lab.apiserver.patching.paths import printed
from lab.apiserver.patching.shape import ANYTHING, SET, keyed, members
from lab.apiserver.patching.shapes import of_schema
from unittests.apiserver_verbs.steady import STEADY

SHAPE = members(spec=members(keyed=keyed("name"), set=SET))
SCALARS = st.integers(0, 2) | st.booleans()
ELEMENTS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("pqr")}, optional={"v": SCALARS, "w": SCALARS}),
    max_size=3,
    unique_by=lambda element: element["name"],
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "a": SCALARS,
        "b": st.dictionaries(st.sampled_from("xyz"), SCALARS, max_size=3),
        "keyed": ELEMENTS,
        "set": st.lists(st.sampled_from("stu"), max_size=3, unique=True),
        "list": st.lists(SCALARS, max_size=2),
    },
)
OBJECTS = st.builds(lambda spec: {"spec": spec}, SPECS)


def paths(tree: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """All leaves of a tree."""
    if not tree:
        return {path} if path else set()
    return set().union(*(paths(inner, (*path, element)) for element, inner in tree.items()))


@STEADY
@given(OBJECTS, OBJECTS)
def test_differences_of_two_objects(old, new) -> None:
    changed, removed = differences(SHAPE, old, new)
    assert (changed is None and removed is None) == _same_fields(old, new)
    before = leaves(SHAPE, old)
    after = subtract(union(before, changed or {}), removed or {})
    assert paths(leaves(SHAPE, new)) - _containers(new) <= paths(after) | _containers(new)
    assert not list(overlap(removed or {}, leaves(SHAPE, new)))


def _same_fields(old: Any, new: Any) -> bool:
    return differences(SHAPE, old, new) == (None, None)


def _containers(value: Any) -> set[tuple[str, ...]]:
    """Paths of empty maps and lists: they are leaves while they are empty."""
    empty = {("f:spec",)} if not value["spec"] else set()
    return empty | {("f:spec", f"f:{name}") for name, item in value["spec"].items() if item in ({}, [])}


@STEADY
@given(OBJECTS, OBJECTS)
def test_sets_obey_their_laws(one, other) -> None:
    a, b = leaves(SHAPE, one), leaves(SHAPE, other)
    assert union(a, a) == a
    assert subtract(a, a) == {}
    assert subtract(a, {}) is a
    assert missing(a, a) == {}
    assert paths(missing(a, b)).isdisjoint(paths(b))
    assert set(overlap(a, a)) == {tuple(element for element in path if element != ".") for path in paths(a)}


def manager(name: str) -> Manager:
    return Manager(name, "v1", "", "2026-01-01T00:00:00Z")


@STEADY
@given(st.lists(st.tuples(st.sampled_from(["m", "n", "o"]), OBJECTS, st.booleans()), min_size=1, max_size=6))
def test_every_leaf_has_an_owner_and_owners_own_nothing_else(steps) -> None:
    obj: dict[str, Any] = {}
    entries: Any = ()
    for name, body, replaces in steps:
        new = body if replaces else merged(obj, body)
        entries = record_update(SHAPE, entries, obj, new, manager(name))
        obj = new
        present = leaves(SHAPE, tracked(obj))
        owned = set().union(*(paths(fields_of(entry)) for entry in entries)) if entries else set()
        assert paths(present) - _containers(obj) <= owned
        stale = {path for path in owned if not _covered(path, obj)}
        assert not stale
        assert len({entry["manager"] for entry in entries}) == len(entries)


def _covered(path: tuple[str, ...], obj: Any) -> bool:
    """Whether an owned path leads to something that is there."""
    value = obj
    for element in path:
        kind, _, text = element.partition(":")
        if element == ".":
            return True
        if kind == "f":
            if not isinstance(value, dict) or text not in value:
                return False
            value = value[text]
        elif kind == "k":
            value = next((item for item in value if f'{{"name":"{item["name"]}"}}' == text), None)
        else:
            value = True if text.strip('"') in value else None
        if value is None:
            return False
    return True


def test_untouched_entries_are_shared() -> None:
    other: Entry = manager("other").entry("Update", {"f:spec": {"f:z": LEAF}})
    entries = record_update(ANYTHING, [other], {"spec": {"z": 1}}, {"spec": {"z": 1, "a": 1}}, manager("m"))
    assert other in entries
    assert any(entry is other for entry in entries)
    same = {"spec": {"a": 1}}
    assert record_update(ANYTHING, entries, same, same, manager("m")) is entries


def test_an_owner_without_fields_goes() -> None:
    entries = record_update(ANYTHING, (), {}, {"spec": {"a": 1}}, manager("m"))
    entries = record_update(ANYTHING, entries, {"spec": {"a": 1}}, {"spec": {"a": 2}}, manager("n"))
    assert [entry["manager"] for entry in entries] == ["n"]


def test_metadata_the_server_sets_is_nobodys() -> None:
    metadata = {"name": "x", "uid": "u", "resourceVersion": "1", "labels": {"a": "b"}, "generateName": "g-"}
    assert tracked({"apiVersion": "v1", "kind": "K", "metadata": metadata, "data": {}}) == {
        "metadata": {"labels": {"a": "b"}, "generateName": "g-"},
        "data": {},
    }
    assert tracked({"metadata": {"name": "x"}}) == {}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("f:spec", "f:replicas"), ".spec.replicas"),
        (("f:c", 'k:{"name":"c"}', "f:image"), '.c[name="c"].image'),
        (("f:p", 'k:{"containerPort":80,"protocol":"TCP"}'), '.p[containerPort=80,protocol="TCP"]'),
        (("f:f", 'v:"a/b"'), '.f[="a/b"]'),
        (("f:l", "i:0"), ".l[0]"),
    ],
)
def test_paths_as_messages_print_them(path: tuple[str, ...], text: str) -> None:
    assert printed(path) == text


def test_shapes_of_schemas() -> None:
    shape = of_schema(
        {
            "properties": {
                "ports": {
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                    "items": {"properties": {"port": {}, "protocol": {"default": "TCP"}}},
                },
                "plain": {"type": "string"},
                "free": {"additionalProperties": {"x-kubernetes-map-type": "atomic"}},
            }
        }
    )
    ports = shape.member("ports")
    assert (ports.keys, dict(ports.key_defaults)) == (("port", "protocol"), {"protocol": "TCP"})
    assert shape.member("plain") is ANYTHING
    assert shape.member("free").member("any").atomic
    assert of_schema({"type": "object"}) is ANYTHING
