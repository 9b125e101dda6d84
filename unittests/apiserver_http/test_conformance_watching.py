"""Conformance checks about watches and pages (sheet §9)."""

import pytest

from lab.apiserver.builtin.kinds import LEASE

INITIAL = "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
OWN = "fieldSelector=metadata.name!%3Dkube-root-ca.crt"


@pytest.fixture
def leases(namespace) -> str:
    """The path of a kind nobody else writes in this test's namespace."""
    return f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"


def create(admin, path: str, name: str):
    return admin.post(path, {"metadata": {"name": name}}).json


@pytest.mark.parametrize("value", ["True", "true", "1", ""])
def test_check_08_words_that_watch(admin, leases, value):
    create(admin, leases, "a")
    with admin.watch(f"{leases}?watch={value}") as events:
        assert events.next()["type"] == "ADDED"


@pytest.mark.parametrize("value", ["False", "0", "false", "FALSE"])
def test_check_08_words_that_list(admin, leases, value):
    assert admin.get(f"{leases}?watch={value}").json["kind"] == "LeaseList"


def test_check_09_watch_from_a_list(admin, leases):
    revision = admin.get(leases).json["metadata"]["resourceVersion"]
    create(admin, leases, "a")
    with admin.watch(f"{leases}?watch=True&resourceVersion={revision}") as events:
        added = events.next()
        admin.patch(f"{leases}/a", {"spec": {"holderIdentity": "me"}})
        modified = events.next()
        admin.delete(f"{leases}/a")
        deleted = events.next()
    assert [event["type"] for event in (added, modified, deleted)] == ["ADDED", "MODIFIED", "DELETED"]
    revisions = [int(event["object"]["metadata"]["resourceVersion"]) for event in (added, modified, deleted)]
    assert int(revision) < revisions[0] < revisions[1] < revisions[2]
    assert deleted["object"]["spec"] == {"holderIdentity": "me"}
    assert all((event["object"]["kind"], event["object"]["apiVersion"]) == ("Lease", LEASE.api_version)
               for event in (added, modified, deleted))  # fmt: skip


def test_check_10_streaming_lists(admin, leases):
    for name in ("a", "b", "c"):
        create(admin, leases, name)
    with admin.watch(f"{leases}?{INITIAL}") as events:
        assert sorted(event["object"]["metadata"]["name"] for event in events.take(3)) == ["a", "b", "c"]
        mark = events.next()
        assert mark["type"] == "BOOKMARK"
        assert (mark["object"]["kind"], mark["object"]["apiVersion"]) == ("Lease", "coordination.k8s.io/v1")
        assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        assert mark["object"]["metadata"]["resourceVersion"].isdigit()
        create(admin, leases, "d")
        later = events.next()
        assert (later["type"], later["object"]["metadata"]["name"]) == ("ADDED", "d")


def test_check_10_streaming_lists_of_nothing(admin, leases):
    with admin.watch(f"{leases}?{INITIAL}&timeoutSeconds=1") as events:
        assert events.next()["type"] == "BOOKMARK"


def test_check_47_pages(admin, leases):
    for name in "abcde":
        create(admin, leases, name)
    pages = [admin.get(f"{leases}?limit=2").json]
    create(admin, leases, "bb")
    while token := pages[-1]["metadata"].get("continue"):
        pages.append(admin.get(f"{leases}?limit=2&continue={token}").json)
    assert [[item["metadata"]["name"] for item in page["items"]] for page in pages] == [["a", "b"], ["c", "d"], ["e"]]
    assert len({page["metadata"]["resourceVersion"] for page in pages}) == 1
    assert [page["metadata"].get("remainingItemCount") for page in pages] == [3, 1, None]


def test_check_48_a_revision_from_the_future(admin, leases):
    answer = admin.get(f"{leases}?resourceVersion=1000000000000")
    assert (answer.status, answer.json["reason"]) == (504, "Timeout")
    assert answer.json["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"
    assert answer.headers["retry-after"] == "1"


def test_check_49_a_revision_that_is_no_longer_kept(server, admin, leases):
    def forget():
        for number in range(10_050):
            server.api.store.put(LEASE.key, {"metadata": {"name": "busy"}, "n": number})

    create(admin, leases, "a")
    server.call(forget)
    with admin.watch(f"{leases}?watch=true&resourceVersion=2") as events:
        (error,) = events.rest()
    assert error["type"] == "ERROR"
    assert (error["object"]["code"], error["object"]["reason"]) == (410, "Expired")


def test_check_50_a_watch_ends_in_time_and_cleanly(admin, leases):
    create(admin, leases, "a")
    with admin.watch(f"{leases}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true") as events:
        assert [event["type"] for event in events.rest()] == ["ADDED", "BOOKMARK"]


def test_a_watch_says_once_before_its_end_how_far_it_is(admin, leases):
    """A real server 2 s before it, so that a client may ask by a short watch whether anything is under way."""
    revision = create(admin, leases, "a")["metadata"]["resourceVersion"]
    short = f"{leases}?watch=true&resourceVersion={revision}&timeoutSeconds=3&allowWatchBookmarks=true"
    with admin.watch(short) as events:
        marks = [(event["type"], event["object"]["metadata"]["resourceVersion"]) for event in events.rest()]
    assert marks == [("BOOKMARK", revision)]


def test_many_watches_at_once(admin, leases):
    streams = [admin.watch(f"{leases}?watch=true") for _ in range(40)]
    opened = [stream.__enter__() for stream in streams]
    create(admin, leases, "a")
    assert {events.next()["object"]["metadata"]["name"] for events in opened} == {"a"}
    for stream in streams:
        stream.__exit__(None, None, None)


def test_watches_are_closed_when_their_clients_go(server, admin, leases):
    with admin.watch(f"{leases}?watch=true&labelSelector=only%3Dhere"):
        assert server.call(lambda: len(server.api.watches)) >= 1
    for _ in range(200):
        create(admin, leases, "again")  # each request gives the server a turn to notice
        if server.call(lambda: len(server.api.watches)) == 0:
            return
    raise AssertionError("the watch is still open")
