"""Watches: starts, transitions, bookmarks, slow readers (kubernetes-api sheet §3.2, §3.3)."""

import asyncio

import orjson
import pytest

from lab.apiserver import watches
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP, EVENT, EVENTS_EVENT
from lab.apiserver.errors import ApiError
from lab.apiserver.store import Change, Store
from lab.apiserver.watches import Watch, WatchOptions, error_frame

WATCH_LIST = {"match": "NotOlderThan", "initial_events": True, "bookmarks": True}


def seen(watch: Watch) -> list[tuple[str, str]]:
    return [(event.type, event.obj["metadata"].get("name", "-")) for event in watch.take()]


def relabel(api: Api, name: str, labels: dict[str, str | None]) -> None:
    api.patch(CONFIG_MAP, "t", name, {"metadata": {"labels": labels}})


def test_without_revision_it_starts_with_what_exists(api: Api, config_map) -> None:
    config_map("a")
    for revision in ("", "0"):
        assert seen(api.watch(CONFIG_MAP, options=WatchOptions(revision=revision))) == [("ADDED", "a")]


def test_from_a_revision_every_later_change_once_and_in_order(api: Api, config_map) -> None:
    start = str(api.store.revision)
    config_map("a")
    watch = api.watch(CONFIG_MAP, "t", WatchOptions(revision=start))
    api.patch(CONFIG_MAP, "t", "a", {"data": {"k": "v"}})
    last = api.delete(CONFIG_MAP, "t", "a")
    events = watch.take()
    assert [event.type for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    revisions = [int(event.obj["metadata"]["resourceVersion"]) for event in events]
    assert revisions == sorted(set(revisions))
    assert revisions[0] > int(start)
    assert events[-1].obj["data"] == {"k": "v"}
    assert events[-1].obj["metadata"]["resourceVersion"] == last["metadata"]["resourceVersion"]


def test_frames_are_the_stored_bytes(api: Api, config_map) -> None:
    config_map("a", k="v")
    (event,) = api.watch(CONFIG_MAP).take()
    snapshot = api.store.get(CONFIG_MAP.key, "t", "a")
    assert snapshot is not None
    assert event.frame() == b'{"type":"ADDED","object":' + snapshot.raw + b"}\n"


def test_only_the_namespace_asked_for(api: Api, config_map) -> None:
    watch = api.watch(CONFIG_MAP, "other")
    config_map("a")
    assert seen(watch) == []


def test_selectors_filter_by_transition(api: Api, config_map) -> None:
    config_map("a", {"on": "no"})
    watch = api.watch(CONFIG_MAP, options=WatchOptions(labels="on=yes", revision=str(api.store.revision)))
    relabel(api, "a", {"x": "1"})
    assert seen(watch) == []
    relabel(api, "a", {"on": "yes"})
    relabel(api, "a", {"x": "2"})
    relabel(api, "a", {"on": "no"})
    revision = api.store.revision
    added, modified, deleted = watch.take()
    assert (added.type, modified.type, deleted.type) == ("ADDED", "MODIFIED", "DELETED")
    assert deleted.obj["metadata"]["labels"] == {"on": "yes", "x": "2"}  # the last state that matched
    assert deleted.obj["metadata"]["resourceVersion"] == str(revision)
    assert orjson.loads(deleted.frame())["object"] == deleted.obj
    relabel(api, "a", {"on": "yes"})
    api.delete(CONFIG_MAP, "t", "a")
    config_map("b", {"on": "no"})
    api.delete(CONFIG_MAP, "t", "b")
    assert seen(watch) == [("ADDED", "a"), ("DELETED", "a")]


def test_transitions_also_in_the_past(api: Api, config_map) -> None:
    config_map("a", {"on": "yes"})
    start = str(api.store.revision)
    relabel(api, "a", {"on": "no"})
    watch = api.watch(CONFIG_MAP, options=WatchOptions(labels="on=yes", revision=start))
    assert seen(watch) == [("DELETED", "a")]


def test_field_selector_of_one_name(api: Api, config_map) -> None:
    config_map("a")
    config_map("b")
    watch = api.watch(CONFIG_MAP, "t", WatchOptions(fields="metadata.name==b"))
    api.patch(CONFIG_MAP, "t", "a", {"data": {"k": "v"}})
    api.patch(CONFIG_MAP, "t", "b", {"data": {"k": "v"}})
    assert seen(watch) == [("ADDED", "b"), ("MODIFIED", "b")]


def test_initial_events_end_with_a_bookmark(api: Api, config_map) -> None:
    for name in "abc":
        config_map(name)
    watch = api.watch(CONFIG_MAP, options=WatchOptions(**WATCH_LIST, labels=""))
    config_map("d")
    *initial, bookmark, live = watch.take()
    assert [event.type for event in initial] == ["ADDED"] * 3
    assert orjson.loads(bookmark.frame()) == {
        "type": "BOOKMARK",
        "object": {
            "kind": "ConfigMap",
            "apiVersion": "v1",
            "metadata": {
                "resourceVersion": str(api.store.revision - 1),
                "creationTimestamp": None,
                "annotations": {"k8s.io/initial-events-end": "true"},
            },
        },
    }
    assert (live.type, live.obj["metadata"]["name"]) == ("ADDED", "d")


def test_the_initial_bookmark_comes_without_objects_and_past_any_selector(api: Api) -> None:
    options = WatchOptions(**WATCH_LIST, labels="a=b", revision=str(api.store.revision))
    assert [event.type for event in api.watch(CONFIG_MAP, options=options).take()] == ["BOOKMARK"]


def test_without_initial_events_it_is_a_plain_watch(api: Api, config_map) -> None:
    config_map("a")
    options = WatchOptions(match="NotOlderThan", initial_events=False, bookmarks=True)
    assert seen(api.watch(CONFIG_MAP, options=options)) == []


def test_bookmarks_only_for_those_who_ask(api: Api, config_map) -> None:
    asked = api.watch(CONFIG_MAP, options=WatchOptions(bookmarks=True))
    other = api.watch(CONFIG_MAP)
    config_map("a")
    for watch in (asked, other):
        watch.bookmark()
    event, bookmark = asked.take()
    assert (event.type, bookmark.type) == ("ADDED", "BOOKMARK")
    assert bookmark.obj["metadata"] == {"resourceVersion": str(api.store.revision), "creationTimestamp": None}
    assert seen(other) == [("ADDED", "a")]


def test_a_slow_reader_is_dropped(api: Api, config_map, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watches, "BACKLOG", 2)
    for name in "abc":
        config_map(name)
    watch = api.watch(CONFIG_MAP)
    config_map("d")
    config_map("e")
    assert not watch.dropped  # what existed at the start does not count
    config_map("f")
    assert (watch.dropped, watch.closed, watch.take()) == (True, True, [])
    config_map("g")
    assert watch.take() == []


def test_a_reader_waits_for_events_and_sees_the_end(api: Api, config_map) -> None:
    async def read() -> list[list[str]]:
        watch = api.watch(CONFIG_MAP)
        batches: list[list[str]] = []

        async def follow() -> None:
            while events := await watch.events():
                batches.append([event.type for event in events])

        reader = asyncio.create_task(follow())
        await asyncio.sleep(0)
        config_map("a")
        api.delete(CONFIG_MAP, "t", "a")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        config_map("b")
        api.watches.close()
        await reader
        return batches

    assert asyncio.run(read()) == [["ADDED", "DELETED"], ["ADDED"]]


def test_watches_of_one_kind_can_be_closed(api: Api) -> None:
    config_maps, events = api.watch(CONFIG_MAP), api.watch(EVENT)
    assert len(api.watches) == 2
    api.watches.close(CONFIG_MAP)
    config_maps.close()
    assert (config_maps.closed, events.closed, len(api.watches)) == (True, False, 1)


def test_a_watch_opened_inside_a_listener_sees_nothing_twice() -> None:
    store = Store()
    opened: list[Watch] = []

    def open_one(change: Change) -> None:
        if not opened:
            opened.append(Watch(store, CONFIG_MAP, None, WatchOptions()))

    store.listen(CONFIG_MAP.key, open_one)
    metadata = {"name": "a", "namespace": "t"}
    store.put(CONFIG_MAP.key, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    assert seen(opened[0]) == [("ADDED", "a")]


def test_another_version_is_converted(api: Api) -> None:
    watch = api.watch(EVENTS_EVENT, "t")
    involved = {"kind": "Node", "name": "n1"}
    api.create(EVENT, {"metadata": {"name": "e", "namespace": "t"}, "involvedObject": involved, "message": "text"})
    (event,) = watch.take()
    frame = orjson.loads(event.frame())
    assert frame["object"] == event.obj
    assert (event.obj["apiVersion"], event.obj["note"]) == ("events.k8s.io/v1", "text")


def refusal(api: Api, **options) -> ApiError:
    with pytest.raises(ApiError) as caught:
        api.watch(CONFIG_MAP, options=WatchOptions(**options))
    return caught.value


def test_too_old_and_too_new_revisions(api: Api, config_map) -> None:
    api.store = Store(ring=2)
    for name in "abcd":
        config_map(name)
    error = refusal(api, revision="2")
    assert (error.code, error.reason, error.message) == (410, "Expired", "too old resource version: 2 (3)")
    frame = orjson.loads(error_frame(error))
    assert (frame["type"], frame["object"]["kind"], frame["object"]["code"]) == ("ERROR", "Status", 410)
    assert refusal(api, revision="99").code == 504


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"initial_events": True},
            "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
        (
            {"initial_events": False, "match": "Exact"},
            "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
        (
            {"match": "NotOlderThan"},
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
            "provided",
        ),
        ({"revision": "x"}, 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'),
    ],
)
def test_senseless_options_are_422(api: Api, options, why: str) -> None:
    error = refusal(api, **options)
    assert (error.code, error.message) == (422, f'ListOptions.meta.k8s.io "" is invalid: {why}')
