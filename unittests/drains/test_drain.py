"""A drain asks as kubectl does: again while it is refused, until no pod is left; and everything is taken back."""

import pytest

from utilities.drains.drain import LAUNCHERS, drained, finish_all
from utilities.errors import ApiError, WaitTimeout

from .cluster import MARKED, Cluster, pod

CORDON = {"spec": {"unschedulable": True}}


@pytest.fixture(autouse=True)
def passed(monkeypatch):
    """Product seconds that were let pass."""
    seconds = []
    monkeypatch.setattr("utilities.drains.drain.let_pass", lambda *arguments, **_: seconds.append(arguments[2]))
    return seconds


def begun(cluster):
    with drained(cluster, "n1") as (drain,):
        return drain


def test_it_cordons_asks_again_while_refused_and_ends_when_every_pod_is_gone(passed):
    cluster = Cluster([pod("a", "vm-a"), pod("b", "vm-b")], {"a": [429, 429]})
    with drained(cluster, "n1", namespace="qa") as (drain,):
        assert cluster.listed == ("qa", LAUNCHERS, "spec.nodeName=n1")
        assert cluster.changes == [("made", "Node n1", CORDON)]
        drain.finish()
    assert cluster.asked == ["a", "b", "a", "a"]
    assert drain.left == ()
    assert (drain.refusals("qa/vm-a"), drain.refusals("qa/vm-b")) == ((MARKED.format("a"),), ())
    assert drain.granted("qa/vm-a")
    assert set(passed) == {5.0}
    assert cluster.changes[-1] == ("undone", "Node n1", CORDON)
    assert cluster.cancelled == []


def test_it_asks_for_this_very_pod():
    cluster = Cluster([pod("a", "vm-a")])
    begun(cluster).ask()
    assert cluster.body["deleteOptions"] == {"preconditions": {"uid": "uid-a"}}
    assert (cluster.body["apiVersion"], cluster.body["kind"]) == ("policy/v1", "Eviction")


def test_it_may_ask_some_before_the_others():
    cluster = Cluster([pod("a", "vm-a"), pod("b", "vm-b"), pod("c", "vm-c")], {"a": [404], "b": [429], "c": [429]})
    drain = begun(cluster)
    drain.ask(first=2)
    assert cluster.asked == ["a", "b"]
    assert [pod.name for pod in drain.left] == ["b", "c"]
    drain.ask()
    assert cluster.asked == ["a", "b", "b", "c"]


def test_daemon_sets_keep_their_pods_and_pods_that_are_gone_are_no_trouble():
    cluster = Cluster([pod("a", "vm-a"), pod("d", owner="DaemonSet")], {"a": [404]})
    drain = begun(cluster)
    drain.finish()
    assert (cluster.asked, drain.answers) == (["a"], [])


def test_it_gives_up_at_last_and_says_why(passed):
    cluster = Cluster([pod("a", "vm-a")], {"a": [429] * 99})
    with pytest.raises(WaitTimeout, match=r'node n1 is not empty after 20 s of asking; left: qa/a: .* VMI "qa/a"'):
        begun(cluster).finish(within=20)
    assert len(cluster.asked) == 4


def test_any_other_answer_is_an_error():
    with pytest.raises(ApiError):
        begun(Cluster([pod("a", "vm-a")], {"a": [500]})).ask()


def test_what_is_left_is_called_off_where_it_is_still_marked():
    cluster = Cluster([pod("a", "vm-a"), pod("b", "vm-b"), pod("c", "vm-c")], {n: [429] for n in "abc"})
    cluster.marked = {"vm-a": "n1", "vm-b": "n2"}
    with drained(cluster, "n1") as (drain,):
        drain.ask()
    (cancelled,) = cluster.cancelled
    path = "/apis/subresources.kubevirt.io/v1/namespaces/qa/virtualmachineinstances/vm-a/evacuate/cancel"
    assert cancelled == (path, {"evacuationNodeName": "n1"})


def test_several_are_asked_before_one_is_waited_for():
    cluster = Cluster([pod("a", "vm-a"), pod("b", "vm-b")], {"a": [429], "b": [429]})
    finish_all([begun(cluster), begun(cluster)])
    assert cluster.asked[:4] == ["a", "b", "a", "b"]
