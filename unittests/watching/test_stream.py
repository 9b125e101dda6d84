"""One stream through everything a connection can do to it."""

from threading import Thread

import pytest
import tenacity

from utilities.clients import PODS
from utilities.errors import ApiError, Forbidden, NotFound, SiteError, Unreachable
from utilities.history import Change, Gap, Record
from utilities.watching import Stream, Watched

PATH = "/api/v1/namespaces/qa/pods"
AT_ONCE = tenacity.wait_none()


@pytest.fixture
def follow(rest):
    streams = []

    def open_stream(patience: float = 10, **watched) -> Stream:
        stream = Stream(rest, Watched(PODS, "qa", **watched), patience=patience, backoff=AT_ONCE)
        streams.append(stream)
        return stream

    yield open_stream
    for stream in streams:
        stream.release()


def told(stream: Stream, count: int) -> list:
    """The next `count` things, as (change, name) or "gap"."""
    found = []
    while len(found) < count:
        found += ["gap" if isinstance(item, Gap) else (item.change.value, item.key) for item in stream.advance()]
    return found


def test_first_the_list_then_what_happens(api, follow):
    api.put(PATH, "a")
    stream = follow()

    assert told(stream, 1) == [("listed", "qa/a")]
    assert not stream.established.is_set()
    assert stream.advance() == ()
    assert stream.established.is_set()
    api.put(PATH, "a", status={"phase": "Running"})
    api.put(PATH, "b")
    api.remove(PATH, "a")
    assert told(stream, 3) == [("modified", "qa/a"), ("added", "qa/b"), ("deleted", "qa/a")]
    assert stream.position == api.version
    assert {record.key for record in stream.known.values()} == {"qa/b"}


def test_selectors_and_bookmarks_are_asked_for(api, follow):
    stream = follow(name="a", labels="x=y", fields="status.phase=Running")
    stream.advance()
    stream.advance()
    (_, _, listed), (_, _, watched) = api.requests

    assert listed["fieldSelector"] == watched["fieldSelector"] == "metadata.name=a,status.phase=Running"
    assert listed["labelSelector"] == watched["labelSelector"] == "x=y"
    assert (watched["allowWatchBookmarks"], watched["resourceVersion"]) == ("true", "100")


@pytest.mark.parametrize("loss", ["drop", "end"])
def test_it_goes_on_where_a_connection_was_lost(api, follow, loss):
    stream = follow()
    told(stream, 0)
    stream.advance()
    api.put(PATH, "a")
    assert told(stream, 1) == [("added", "qa/a")]
    api.put(PATH, "b")
    getattr(api, loss)()
    api.put(PATH, "c")

    assert told(stream, 2) == [("added", "qa/b"), ("added", "qa/c")]


def test_a_bookmark_moves_the_position(api, follow):
    stream = follow()
    stream.advance()
    stream.advance()
    api.put("/api/v1/namespaces/other/pods", "x")
    api.bookmark()
    assert list(stream.advance()) == []
    assert stream.position == api.version
    api.forget()
    api.drop()
    api.put(PATH, "a")

    assert told(stream, 1) == [("added", "qa/a")]


@pytest.mark.parametrize("as_event", [True, False])
def test_forgotten_versions_make_a_gap_and_a_new_list(api, follow, as_event):
    api.gone_as_event = as_event
    for name in ("stays", "changes", "goes"):
        api.put(PATH, name)
    stream = follow()
    told(stream, 3)
    stream.advance()
    before = stream.position
    api.drop()
    api.put(PATH, "changes", status={"phase": "Running"})
    api.remove(PATH, "goes")
    api.put(PATH, "new")
    api.forget()
    found = []
    while len(found) < 4:
        found += stream.advance()
    gap, *records = found

    assert (gap.kind, gap.after, gap.until) == ("Pod", before, api.version)
    assert "too old resource version" in gap.reason
    assert [(record.change, record.key) for record in records] == [
        (Change.RELISTED, "qa/changes"),
        (Change.RELISTED, "qa/new"),
        (Change.VANISHED, "qa/goes"),
    ]
    assert records[-1].order == api.version
    api.put(PATH, "later")
    assert told(stream, 1) == [("added", "qa/later")]


@pytest.mark.parametrize(("method", "code"), [("GET", 503), ("GET", 429), ("GET", 0), ("WATCH", 500), ("WATCH", 0)])
def test_transient_errors_are_outlived(api, follow, method, code):
    api.put(PATH, "a")
    api.fail(method, code, times=3)
    stream = follow()

    assert told(stream, 1) == [("listed", "qa/a")]
    stream.advance()
    api.put(PATH, "b")
    assert told(stream, 1) == [("added", "qa/b")]


def test_an_error_event_is_raised_when_it_stays_and_loses_nothing(api, follow):
    stream = follow(patience=0)
    stream.advance()
    stream.advance()
    api.put(PATH, "a")
    assert told(stream, 1) == [("added", "qa/a")]
    api.watch_error = {"code": 500, "message": "etcd leader changed"}
    api.end()
    api.put(PATH, "b")
    assert stream.advance() == ()  # the orderly end
    assert stream.advance() == ()  # the next connection
    with pytest.raises(ApiError, match="etcd leader changed"):
        stream.advance()
    api.watch_error = None

    assert told(stream, 1) == [("added", "qa/b")]


@pytest.mark.parametrize(("code", "error"), [(403, Forbidden), (404, NotFound), (401, SiteError), (422, ApiError)])
def test_other_errors_are_raised_at_once(api, follow, code, error):
    api.fail("GET", code)

    with pytest.raises(error):
        follow().advance()
    assert len(api.requests) == 1


def test_a_server_that_stays_away_is_believed_after_a_while(api, follow):
    api.fail("GET", 0, times=5)

    with pytest.raises(Unreachable, match=r"127.0.0.1:\d+ is not reachable"):
        follow(patience=0).advance()


def test_a_watch_that_ends_as_soon_as_it_opens_is_a_failure(api, follow):
    stream = follow(patience=0)
    stream.advance()
    stream.advance()
    api.end()

    with pytest.raises(Unreachable, match="ends the watch of Pods in qa as soon as it is opened"):
        stream.advance()


def test_close_ends_a_waiting_advance(api, follow):
    stream = follow()
    stream.advance()
    stream.advance()
    found = []
    reader = Thread(target=lambda: found.append(stream.advance()))
    reader.start()
    stream.close()
    reader.join(10)

    assert found == [()]


def test_a_version_that_is_no_number_is_refused(api, follow):
    api.version = "abc"

    with pytest.raises(SiteError, match="resourceVersion 'abc', which is no number"):
        follow().advance()


def test_records_carry_what_was_received(api, follow):
    api.put(PATH, "a", metadata={"creationTimestamp": "2026-01-02T03:00:07Z"})
    (record,) = follow().advance()

    assert isinstance(record, Record)
    assert (record.kind, record.key, record.resource_version) == ("Pod", "qa/a", "101")
    assert record.product_time == 1_767_322_807
    assert record.received > 0
