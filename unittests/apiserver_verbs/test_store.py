"""The store: past states, order of delivery, indexes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.apiserver.store import Change, ExpiredError, Store
from unittests.apiserver_verbs.steady import STEADY

KEY = ("", "things")


def thing(name: str, namespace: str = "t", **fields: object) -> dict[str, object]:
    return {"metadata": {"name": name, "namespace": namespace}, **fields}


@STEADY
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=30))
def test_every_past_state_can_be_rebuilt(steps) -> None:
    store = Store()
    states = {store.revision: []}
    for number, (name, delete) in enumerate(steps):
        if not delete:
            store.put(KEY, thing(name, n=number))
        elif store.get(KEY, "t", name):
            store.remove(KEY, "t", name)
        states[store.revision] = [item.raw for item in store.scan(KEY)]
    for revision, state in states.items():
        assert [item.raw for item in store.at(KEY, revision)] == state


def test_states_before_the_ring_are_expired() -> None:
    store = Store(ring=3)
    for number in range(5):
        store.put(KEY, thing("a", n=number))
    assert store.revision == 6
    assert len(store.since(KEY, 3)) == 3
    with pytest.raises(ExpiredError) as caught:
        store.since(KEY, 2)
    assert caught.value.oldest == 3


def test_writes_inside_listeners_are_told_in_commit_order() -> None:
    store = Store()
    seen: list[int] = []

    def answer(change: Change) -> None:
        if change.type == "ADDED":
            store.put(KEY, thing("a", answered=True))

    store.listen(KEY, answer)
    store.listen(KEY, lambda change: seen.append(change.revision))
    store.put(KEY, thing("a"))
    assert seen == [2, 3]


def test_a_listener_that_stopped_hears_nothing() -> None:
    store = Store()
    seen: list[Change] = []
    stop = store.listen(KEY, seen.append)
    stop()
    stop()
    store.put(KEY, thing("a"))
    assert seen == []


def test_indexes_follow_every_change() -> None:
    store = Store()
    store.put(KEY, thing("early", color="red"))
    store.index(KEY, "color", lambda obj: str(obj["color"]) if "color" in obj else None)
    store.put(KEY, thing("b", "u", color="red"))
    store.put(KEY, thing("a", color="red"))
    store.put(KEY, thing("plain"))

    def names(value: str, namespace: str | None = None) -> list[str]:
        return [item.name for item in store.lookup(KEY, "color", value, namespace)]

    assert names("red") == ["a", "early", "b"]
    assert names("red", "u") == ["b"]
    store.put(KEY, thing("a", color="blue"))
    store.remove(KEY, "u", "b")
    assert (names("red"), names("blue"), names("green")) == (["early"], ["a"], [])
    assert store.indexed(KEY, "color")
    assert not store.indexed(KEY, "size")


def test_a_deletion_has_its_own_revision() -> None:
    store = Store()
    store.put(KEY, thing("a"))
    gone = store.remove(KEY, "t", "a", thing("a", last=True))
    assert gone.obj["metadata"]["resourceVersion"] == "3"  # type: ignore[index]
    assert gone.obj["last"] is True
    assert store.revision == 3


@STEADY
@given(
    st.sets(st.tuples(st.sampled_from("rst"), st.sampled_from("abcd"))),
    st.sampled_from([None, "r", "s"]),
    st.tuples(st.sampled_from("qrsu"), st.sampled_from("abe")),
)
def test_what_stands_behind_a_name_now_and_in_the_past(names, namespace, after) -> None:
    store = Store()
    for space, name in sorted(names):
        store.put(KEY, thing(name, space))
    revision = store.revision
    expected = [each for each in sorted(names) if each > after and namespace in (None, each[0])]
    assert [(item.namespace, item.name) for item in store.scan(KEY, namespace, after)] == expected
    store.put(KEY, thing("e", "s"))
    assert [(item.namespace, item.name) for item in store.at(KEY, revision, namespace, after)] == expected
