"""A change that several rely on: made once, taken back by the last one, also when that was not the one who made it."""

from contextlib import ExitStack
from copy import deepcopy

import pytest

from utilities.clients import KUBEVIRTS
from utilities.errors import NotEnoughEvidence, NotFound
from utilities.reversible import Patch, Target
from utilities.sharing.standing import Planned, Standing

from .leases import Hands, Memory, lock

CHANGE = Patch(Target(KUBEVIRTS, "kubevirt", "kubevirt"), {"spec": {"gates": ["on"]}}, "switch a gate")


class Cluster:
    """One object with merge patches, and a count of them."""

    def __init__(self):
        self.object = {"metadata": {"uid": "u", "resourceVersion": "1"}, "spec": {"gates": []}}
        self.patches = 0

    def get(self, *_):
        """The object."""
        return self.object

    def patch(self, resource, name, body, namespace):
        """Change its spec."""
        self.patches += 1
        self.object = {**self.object, "spec": {**self.object["spec"], **body["spec"]}}
        return self.object


class Waiting:
    """As `Waits`, for what an undo needs of it."""

    def __init__(self, rest):
        self.rest = rest


@pytest.fixture
def cluster():
    return Cluster()


@pytest.fixture
def clock():
    return Hands()


@pytest.fixture
def users():
    return Memory()


@pytest.fixture
def standing(cluster, clock, users):
    turns = Memory()
    return lambda who: Standing(Waiting(cluster), lock(users, who, clock), lock(turns, who, clock))


def relied_on(standing, settle=lambda _: None, back=lambda _: None, plan=lambda: Planned(CHANGE, {"gates": []})):
    """The change, made in the usual way."""
    return standing.relied_on(plan, settle, back)


def gates(cluster):
    return cluster.object["spec"]["gates"]


def test_it_is_there_for_the_block_and_settled_with_what_was_changed(standing, cluster):
    settled = []
    with relied_on(standing("a"), settled.append):
        assert gates(cluster) == ["on"]
        assert settled == [cluster.object]
    assert gates(cluster) == []


def test_the_second_one_changes_nothing_and_the_last_one_takes_it_back(standing, cluster, users):
    settled = []
    first, second = ExitStack(), ExitStack()
    first.enter_context(relied_on(standing("a"), settled.append))
    second.enter_context(relied_on(standing("b"), settled.append))
    assert settled[1] is None
    first.close()
    assert gates(cluster) == ["on"], "b relies on it"
    second.close()
    assert gates(cluster) == []
    assert cluster.patches == 2
    assert users.lease is None


def test_what_a_killed_run_left_is_taken_back_by_the_next_one_that_sees_it_expire(standing, cluster, clock, users):
    with relied_on(standing("killed")):
        left = deepcopy((users.lease, cluster.object))
    users.lease, cluster.object = left
    with relied_on(standing("next")):
        clock.wait(59)
    assert gates(cluster) == ["on"], "the killed one may be alive"
    with relied_on(standing("later")):
        clock.wait(60)
    assert gates(cluster) == []


def test_a_block_that_fails_takes_it_back_too(standing, cluster):
    with pytest.raises(ZeroDivisionError), relied_on(standing("a")):
        raise ZeroDivisionError
    assert gates(cluster) == []


def test_it_is_inconclusive_when_others_may_have_taken_it_back(standing, cluster, users):
    mine = standing("a")
    with pytest.raises(NotEnoughEvidence, match="was taken over"), relied_on(mine):
        _overtake(users, mine)


def _overtake(users, mine):
    users.lease["metadata"]["annotations"]["migration-test-plans/shared"] = "{}"
    mine.users.renew()


def test_a_change_that_is_refused_is_not_made(standing, cluster):
    cluster.patch = None
    cluster.get = lambda *_: (_ for _ in ()).throw(NotFound("no such object", next_step="-", code=404))
    with pytest.raises(NotFound), relied_on(standing("a")):
        pytest.fail("it is not there")


def test_who_takes_it_back_waits_by_the_memo_of_who_made_it(standing):
    told = []
    with ExitStack() as first:
        first.enter_context(relied_on(standing("a"), plan=lambda: Planned(CHANGE, {"made by": "a"})))
        with relied_on(standing("b"), back=told.append):
            first.close()
    assert told == [{"made by": "a"}]


def test_a_cluster_that_is_as_it_should_be_is_left_alone(standing, cluster):
    with relied_on(standing("a"), plan=lambda: None):
        assert cluster.patches == 0
    assert cluster.patches == 0


def test_a_cluster_that_does_not_follow_is_put_back(standing, cluster):
    def never(_):
        raise TimeoutError

    with pytest.raises(TimeoutError), relied_on(standing("a"), settle=never):
        pytest.fail("it did not follow")
    assert gates(cluster) == []
