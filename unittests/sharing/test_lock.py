"""The lock of a cluster: held alone or with others, lost, taken over."""

import threading

import pytest

from utilities.errors import NotEnoughEvidence, Unreachable, WaitTimeout
from utilities.sharing.holders import Holders, Mode
from utilities.sharing.lock import Keeper

from .leases import Hands, Memory, lock


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def clock():
    return Hands()


@pytest.fixture
def first(memory, clock):
    return lock(memory, "first", clock)


@pytest.fixture
def second(memory, clock):
    return lock(memory, "second", clock)


def holders(memory):
    return Holders.of(memory.lease or {"metadata": {}})


def test_two_share(memory, first, second):
    first.enter(Mode.SHARED, within=0)
    second.enter(Mode.SHARED, within=0)
    assert set(holders(memory).shared) == {"first", "second"}


@pytest.mark.parametrize(("mine", "theirs"), [("exclusive", "shared"), ("shared", "exclusive"), ("exclusive",) * 2])
def test_who_cannot_enter_in_time_is_told_who_holds_it(memory, first, second, mine, theirs):
    first.enter(Mode(mine), within=0)
    with pytest.raises(WaitTimeout, match=rf"could not be held {theirs} within 3 s; it is held or waited for by first"):
        second.enter(Mode(theirs), within=3)
    assert set(holders(memory).stamps()) == {"first"}, "who gave up does not keep others out"


def test_who_waits_enters_when_the_others_leave(memory, clock, first, second):
    first.enter(Mode.SHARED, within=0)
    clock.meanwhile = lambda: first.leave() if clock.time > 1010 and first.held else None
    second.enter(Mode.EXCLUSIVE, within=60)
    assert holders(memory).exclusive == "second"
    assert clock.time == pytest.approx(1010.5)


def test_who_has_it_alone_turn_after_turn_lets_others_in_between(memory, clock, first, second):
    def another_turn():
        clock.meanwhile = lambda: None
        first.leave()
        with pytest.raises(WaitTimeout, match="held or waited for by second"):
            first.enter(Mode.EXCLUSIVE, within=0)

    first.enter(Mode.EXCLUSIVE, within=0)
    clock.meanwhile = another_turn
    second.enter(Mode.SHARED, within=2)
    assert set(holders(memory).shared) == {"second"}


def test_a_stale_holder_is_taken_over_after_its_duration_and_knows_it(memory, clock, first, second):
    first.enter(Mode.EXCLUSIVE, within=0)
    second.enter(Mode.EXCLUSIVE, within=120)
    assert clock.time == pytest.approx(1060)
    assert holders(memory).exclusive == "second"
    first.renew()
    with pytest.raises(NotEnoughEvidence, match="taken over by another run"):
        first.assure()


def test_a_holder_that_renews_is_not_taken_over(memory, clock, first, second):
    first.enter(Mode.SHARED, within=0)
    clock.meanwhile = first.renew
    with pytest.raises(WaitTimeout):
        second.enter(Mode.EXCLUSIVE, within=300)
    first.assure()


def test_stamps_of_a_wrong_clock_mean_nothing(memory, clock, first, second):
    first.enter(Mode.EXCLUSIVE, within=0)
    memory.lease["spec"]["renewTime"] = "1990-01-01T00:00:00.000000Z"
    with pytest.raises(WaitTimeout):
        second.enter(Mode.EXCLUSIVE, within=59)


def test_a_lock_that_cannot_be_renewed_is_lost_only_after_its_duration(memory, clock, first):
    first.enter(Mode.SHARED, within=0)
    memory.broken = Unreachable("nobody answers", next_step="look at the network")
    clock.wait(59)
    with pytest.raises(Unreachable):
        first.renew()
    first.assure()
    clock.wait(1)
    with pytest.raises(Unreachable):
        first.renew()
    memory.broken = None
    first.renew()  # too late: others may have been in meanwhile
    with pytest.raises(NotEnoughEvidence, match="could not be renewed for 60 s"):
        first.assure()


def test_a_write_that_loses_is_made_again_from_what_is_there(memory, clock, first, second):
    memory.before_write.append(lambda: first.enter(Mode.SHARED, within=0))
    second.enter(Mode.SHARED, within=0)
    assert set(holders(memory).shared) == {"first", "second"}


def test_leaving_lets_the_next_one_in(memory, first, second):
    first.enter(Mode.EXCLUSIVE, within=0)
    first.leave()
    second.enter(Mode.EXCLUSIVE, within=0)
    assert holders(memory).exclusive == "second"


def test_nothing_is_left_when_the_last_one_leaves(memory, first, second):
    first.enter(Mode.SHARED, within=0)
    second.enter(Mode.SHARED, within=0)
    first.leave()
    assert memory.lease
    second.leave()
    assert memory.lease is None


def test_who_comes_while_the_last_one_leaves_makes_it_anew(memory, first, second):
    first.enter(Mode.SHARED, within=0)
    memory.before_write.append(first.leave)
    second.enter(Mode.SHARED, within=0)
    assert set(holders(memory).shared) == {"second"}


def test_who_leaves_while_another_one_comes_does_not_take_it_away(memory, first, second):
    first.enter(Mode.SHARED, within=0)
    memory.before_write.append(lambda: second.enter(Mode.SHARED, within=0))
    first.leave()
    assert set(holders(memory).shared) == {"second"}


def test_a_lock_that_is_not_held_is_not_renewed(memory, first):
    before = memory.lease
    first.renew()
    assert memory.lease is before


def test_the_keeper_ends_with_its_block(first):
    with Keeper(first):
        assert f"keeper of {first.file}" in {thread.name for thread in threading.enumerate()}
    assert f"keeper of {first.file}" not in {thread.name for thread in threading.enumerate()}
