"""Lists: order, past revisions, pages (kubernetes-api sheet §3.1, §3.5)."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP, EVENT, EVENTS_EVENT, POD
from lab.apiserver.errors import ApiError
from lab.apiserver.lists import ListOptions, list_page
from lab.apiserver.store import Store
from unittests.apiserver_verbs.steady import STEADY

KEY = CONFIG_MAP.key


def names(page) -> list[str]:
    return [snapshot.name for snapshot in page.snapshots]


def put(store: Store, name: str, namespace: str = "t", **data: str) -> None:
    metadata = {"name": name, "namespace": namespace}
    store.put(KEY, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})


@pytest.fixture
def store() -> Store:
    store = Store()
    for name in "ecabd":
        put(store, name)
    put(store, "z", "a")
    return store


def test_lists_are_ordered_by_namespace_then_name(store: Store) -> None:
    page = list_page(store, CONFIG_MAP, None, ListOptions())
    assert [(item.namespace, item.name) for item in page.snapshots] == [("a", "z"), *(("t", name) for name in "abcde")]
    assert names(list_page(store, CONFIG_MAP, "t", ListOptions())) == list("abcde")
    assert page.metadata() == {"resourceVersion": str(store.revision)}


def test_a_raw_list_is_the_stored_bytes_joined(store: Store) -> None:
    page = list_page(store, CONFIG_MAP, "t", ListOptions())
    body = orjson.loads(page.raw())
    assert list(body) == ["kind", "apiVersion", "metadata", "items"]
    assert (body["kind"], body["apiVersion"]) == ("ConfigMapList", "v1")
    assert body["items"] == page.objects()
    assert page.snapshots[0].raw in page.raw()


def test_an_empty_list_has_items(api: Api) -> None:
    assert api.list_raw(POD) == b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}'


def test_pages_show_one_revision_and_what_remains(store: Store) -> None:
    first = list_page(store, CONFIG_MAP, "t", ListOptions(limit=2))
    put(store, "bb")
    put(store, "d", late="yes")
    second = list_page(store, CONFIG_MAP, "t", ListOptions(limit=2, continue_token=first.continue_token))
    third = list_page(store, CONFIG_MAP, "t", ListOptions(limit=2, continue_token=second.continue_token))
    assert (names(first), names(second), names(third)) == (["a", "b"], ["c", "d"], ["e"])
    assert (first.remaining, second.remaining, third.remaining) == (3, 1, None)
    assert first.revision == second.revision == third.revision
    assert third.continue_token == ""
    assert "late" not in second.snapshots[1].obj["data"]  # type: ignore[operator]
    assert first.metadata()["remainingItemCount"] == 3
    assert set(first.continue_token) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def test_a_selector_hides_the_remaining_count(store: Store) -> None:
    page = list_page(store, CONFIG_MAP, None, ListOptions(limit=2, fields="metadata.namespace=t"))
    assert names(page) == ["a", "b"]
    assert page.continue_token
    assert "remainingItemCount" not in page.metadata()


@STEADY
@given(
    present=st.sets(st.tuples(st.sampled_from("xyz"), st.text("ab-", min_size=1, max_size=3)), max_size=12),
    limit=st.integers(1, 5),
    later=st.lists(st.tuples(st.sampled_from("xyz"), st.text("ab-", min_size=1, max_size=3)), max_size=6),
)
def test_pages_together_are_the_list_at_the_first_page(present, limit: int, later) -> None:
    store = Store()
    for namespace, name in present:
        put(store, name, namespace)
    whole = [item.raw for item in store.scan(KEY)]
    page = list_page(store, CONFIG_MAP, None, ListOptions(limit=limit))
    paged = [item.raw for item in page.snapshots]
    while page.continue_token:
        if later:
            namespace, name = later.pop()
            if store.get(KEY, namespace, name):
                store.remove(KEY, namespace, name)
            else:
                put(store, name, namespace)
        page = list_page(store, CONFIG_MAP, None, ListOptions(limit=limit, continue_token=page.continue_token))
        paged += [item.raw for item in page.snapshots]
    assert paged == whole


def test_exact_shows_the_past_and_not_older_than_the_present(store: Store) -> None:
    then = store.revision
    put(store, "f")
    store.remove(KEY, "t", "a")

    def at(**options: str) -> list[str]:
        return names(list_page(store, CONFIG_MAP, "t", ListOptions(revision=str(then), **options)))

    assert at(match="Exact") == list("abcde")
    assert at() == at(match="NotOlderThan") == list("bcdef")
    with_limit = list_page(store, CONFIG_MAP, "t", ListOptions(revision=str(then), limit=100))
    assert (names(with_limit), with_limit.revision) == (list("abcde"), then)
    assert names(list_page(store, CONFIG_MAP, "t", ListOptions(revision="0", limit=2))) == ["b", "c"]


def refusal(store: Store, options: ListOptions) -> ApiError:
    with pytest.raises(ApiError) as caught:
        list_page(store, CONFIG_MAP, "t", options)
    return caught.value


def test_a_revision_in_the_future_times_out(store: Store) -> None:
    error = refusal(store, ListOptions(revision="999"))
    assert (error.code, error.reason) == (504, "Timeout")
    assert error.message == f"Timeout: Too large resource version: 999, current: {store.revision}"
    assert error.details == {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }


def test_the_past_beyond_the_ring_is_expired() -> None:
    store = Store(ring=2)
    for name in "abcde":
        put(store, name)
    error = refusal(store, ListOptions(revision="2", match="Exact"))
    assert (error.code, error.reason, error.message) == (410, "Expired", "too old resource version: 2 (4)")
    token = list_page(store, CONFIG_MAP, "t", ListOptions(limit=1)).continue_token
    for name in "abcde":
        put(store, name, more="yes")
    error = refusal(store, ListOptions(limit=1, continue_token=token))
    assert (error.code, error.reason) == (410, "Expired")
    assert error.message.startswith("The provided continue parameter is too old")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ListOptions(match="Exact"),
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            ListOptions(match="Exact", revision="0"),
            'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
        (
            ListOptions(match="Exact", continue_token="x"),
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
        ),
        (
            ListOptions(match="Newest", revision="1"),
            'resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
        ),
        (
            ListOptions(initial_events=True),
            "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
        ),
    ],
)
def test_senseless_options_are_422(store: Store, options: ListOptions, why: str) -> None:
    error = refusal(store, options)
    assert (error.code, error.reason) == (422, "Invalid")
    assert error.message == f'ListOptions.meta.k8s.io "" is invalid: {why}'
    assert error.details is not None
    assert (error.details["kind"], error.details["group"]) == ("ListOptions", "meta.k8s.io")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ListOptions(revision="abc"),
            'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
        ),
        (ListOptions(continue_token="rubbish!"), "continue key is not valid"),
        (
            ListOptions(continue_token="x", revision="5"),
            "specifying resource version is not allowed when using continue",
        ),
    ],
)
def test_bad_queries_are_400(store: Store, options: ListOptions, message: str) -> None:
    error = refusal(store, options)
    assert error.code == 400
    assert error.message.startswith(message)


def test_indexes_give_the_same_answer_as_a_scan(api: Api) -> None:
    for name, node in (("p1", "n1"), ("p2", "n2"), ("p3", "n1")):
        pod = {"metadata": {"name": name, "namespace": "t", "labels": {"app": name}}, "spec": {"nodeName": node}}
        api.store.put(POD.key, {"apiVersion": "v1", "kind": "Pod", **pod})
    fields = "spec.nodeName=n1,metadata.name!=p3"
    assert api.store.indexed(POD.key, "spec.nodeName")
    assert [pod["metadata"]["name"] for pod in api.list(POD, fields=fields)] == ["p1"]
    assert api.list(POD, fields="spec.nodeName=") == []
    assert api.list(POD, "other", fields="spec.nodeName=n1") == []
    assert [pod["metadata"]["name"] for pod in api.list(POD, "t", fields="metadata.name=p2")] == ["p2"]
    assert api.list(POD, "t", fields="metadata.name=p9") == []
    assert [pod["metadata"]["name"] for pod in api.list(POD, labels="app in (p2,p3)")] == ["p2", "p3"]


def test_another_version_is_converted_on_the_way_out(api: Api) -> None:
    event = {
        "metadata": {"name": "e", "namespace": "t"},
        "involvedObject": {"kind": "Node", "name": "n1"},
        "message": "text",
        "reason": "Ready",
    }
    api.create(EVENT, event)
    (seen,) = api.list(EVENTS_EVENT, "t", fields="regarding.name=n1")
    assert (seen["apiVersion"], seen["note"], seen["regarding"]["name"]) == ("events.k8s.io/v1", "text", "n1")
    raw = orjson.loads(api.list_raw(EVENTS_EVENT))
    assert (raw["apiVersion"], raw["kind"], raw["items"]) == ("events.k8s.io/v1", "EventList", [seen])
