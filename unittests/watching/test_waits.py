"""Waits: goal, losing states, deadline, and what they tell."""

import io
from threading import Thread

import pytest

from utilities.clients import PODS
from utilities.errors import Forbidden, GoalLost, WaitTimeout
from utilities.history import dig
from utilities.watching import Progress, Waits, Watched, gone, lost_if_gone

PATH = "/api/v1/namespaces/qa/pods"
POD = Watched(PODS, "qa", name="a")


def phase(wanted):
    return lambda obj: dig(obj, "status", "phase") == wanted


def failed(obj):
    return "the pod failed" if dig(obj, "status", "phase") == "Failed" else lost_if_gone(obj)


@pytest.fixture
def waits(rest):
    return Waits(rest, wall=lambda seconds: seconds / 100)


@pytest.fixture
def meanwhile(api):
    """Runs something once the wait watches."""
    threads = []

    def start(*actions):
        def act():
            api.wait_for_watches(1)
            for action in actions:
                action()

        threads.append(Thread(target=act))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join(10)


def put(api, name="a", **status):
    return lambda: api.put(PATH, name, status=status)


def test_a_state_that_is_there_already_needs_one_request(api, waits):
    api.put(PATH, "a", status={"phase": "Running"})
    found = waits.wait_for(POD, phase("Running"), expecting="Running", within=1000)

    assert found["metadata"]["name"] == "a"
    assert [method for method, _, _ in api.requests] == ["GET"]


def test_a_state_that_comes_needs_two(api, waits, meanwhile):
    meanwhile(put(api, phase="Pending"), put(api, phase="Running"), put(api, phase="Succeeded"))
    found = waits.wait_for(POD, phase("Running"), expecting="Running", within=1000)

    assert found["status"] == {"phase": "Running"}
    assert [method for method, _, _ in api.requests] == ["GET", "WATCH"]


def test_a_losing_state_ends_the_wait_at_once(api, waits, meanwhile):
    meanwhile(put(api, phase="Pending"), put(api, phase="Failed"))
    with pytest.raises(GoalLost) as lost:
        waits.wait_for(POD, phase("Running"), losing=failed, expecting="Running", within=100_000)

    assert str(lost.value).startswith("Pod qa/a: the pod failed, waiting for Running (last seen Failed, for ")
    assert lost.value.last_seen["status"] == {"phase": "Failed"}
    assert [record.object["status"]["phase"] for record in lost.value.history] == ["Pending", "Failed"]


def test_an_object_that_disappears_is_lost(api, waits, meanwhile):
    meanwhile(put(api, phase="Pending"), lambda: api.remove(PATH, "a"))
    with pytest.raises(GoalLost, match="Pod qa/a: it was deleted, waiting for Running") as lost:
        waits.wait_for(POD, phase("Running"), losing=lost_if_gone, expecting="Running", within=100_000)

    assert lost.value.last_seen is None


def test_an_object_that_has_not_appeared_yet_is_not_lost(api, waits, meanwhile):
    meanwhile(put(api, phase="Running"))

    assert waits.wait_for(POD, phase("Running"), losing=lost_if_gone, expecting="Running", within=1000)


def test_the_deadline_tells_the_last_state_and_how_long_it_held(api, waits):
    api.put(PATH, "a", status={"phase": "Pending"})
    with pytest.raises(WaitTimeout) as late:
        waits.wait_for(POD, phase("Running"), expecting="Running", within=20, next_step="look at the pod")

    assert str(late.value).startswith("Pod qa/a: not Running within 20 s; last seen Pending, for 0.")
    assert late.value.message().endswith("Next: look at the pod")
    assert late.value.last_seen["status"] == {"phase": "Pending"}
    assert len(late.value.history) == 1


def test_the_deadline_of_something_never_seen(waits):
    with pytest.raises(WaitTimeout, match="Pod qa/a: not Running within 5 s; never seen"):
        waits.wait_for(POD, phase("Running"), expecting="Running", within=5)


def test_waiting_for_absence(api, waits, meanwhile):
    assert waits.wait_for(POD, gone, expecting="gone", within=1000) is None
    api.put(PATH, "a")
    meanwhile(lambda: api.remove(PATH, "a"))

    assert waits.wait_for(POD, gone, expecting="gone", within=1000) is None


def test_another_object_of_the_same_name_does_not_count(api, waits, meanwhile):
    uid = api.put(PATH, "a")["metadata"]["uid"]
    meanwhile(lambda: api.remove(PATH, "a"), put(api))

    waits.wait_gone(POD, uid=uid, within=1000)
    with pytest.raises(WaitTimeout, match="not gone"):
        waits.wait_gone(POD, within=5)


def test_any_object_of_a_collection(api, waits, meanwhile):
    api.put(PATH, "a", status={"phase": "Pending"})
    meanwhile(lambda: api.remove(PATH, "a"), put(api, "b", phase="Running"))
    found = waits.wait_for(Watched(PODS, "qa"), phase("Running"), expecting="one Running", within=1000)

    assert found["metadata"]["name"] == "b"


def test_a_wait_survives_lost_connections_and_gaps(api, waits, meanwhile):
    api.put(PATH, "a", status={"phase": "Pending"})

    def lose():
        api.drop()
        api.put(PATH, "a", status={"phase": "Scheduled"})
        api.forget()
        api.wait_for_watches(1)
        api.put(PATH, "a", status={"phase": "Running"})

    meanwhile(lose)

    assert waits.wait_for(POD, phase("Running"), expecting="Running", within=1000)


def test_a_refusal_ends_the_wait(api, waits):
    api.fail("GET", 403, '{"message": "pods is forbidden", "reason": "Forbidden", "code": 403}')

    with pytest.raises(Forbidden, match="pods is forbidden"):
        waits.wait_for(POD, gone, expecting="gone", within=1000)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_live_in_a_terminal_and_removed(api, rest, meanwhile):
    terminal = Terminal()
    waits = Waits(rest, wall=float, progress=Progress(terminal))
    meanwhile(put(api, phase="Pending"), put(api, phase="Running", left="3 GiB"))
    waits.wait_for(
        POD, phase("Running"), expecting="Running", within=10, describe=lambda obj: f"left {dig(obj, 'status', 'left')}"
    )
    shown = terminal.getvalue()

    assert "Pod qa/a: waiting for Running" in shown
    assert "Pod qa/a: last seen left 3 GiB, for 0." in shown
    assert shown.endswith("\r\x1b[2K")
    assert "\n" not in shown


def test_progress_is_silent_elsewhere():
    log = io.StringIO()
    progress = Progress(log)
    progress.show("something")
    progress.clear()

    assert log.getvalue() == ""
