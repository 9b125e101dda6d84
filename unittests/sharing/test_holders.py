"""What a Lease says about its holders, and which changes it allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.errors import SiteError
from utilities.sharing.holders import SHARED, WAITING, WAITING_TO_SHARE, Holders, Mode

LEASE = {"metadata": {"name": "lock", "namespace": "default", "resourceVersion": "7", "annotations": {"other": "kept"}}}


def test_a_new_lease_is_held_by_nobody():
    assert Holders.of({**LEASE, "spec": {}}) == Holders()


def test_what_is_written_is_read_again_and_other_annotations_stay():
    holders = Holders(
        exclusive="a", renewed="t2", acquired="t1", transitions=3, waiting={"b": "t3"}, hoping={"c": "t4"}
    )
    lease = holders.written(LEASE, 60)
    assert Holders.of(lease) == holders
    assert lease["spec"]["leaseDurationSeconds"] == 60
    assert lease["metadata"]["annotations"]["other"] == "kept"
    assert lease["metadata"]["resourceVersion"] == "7"


@pytest.mark.parametrize("annotation", [SHARED, WAITING, WAITING_TO_SHARE])
@pytest.mark.parametrize("text", ["no json", "[]", '{"a": 1}'])
def test_an_annotation_that_is_not_ours_is_named(annotation, text):
    with pytest.raises(SiteError, match=f"Lease default/lock: annotation {annotation}"):
        Holders.of({"metadata": {"name": "lock", "namespace": "default", "annotations": {annotation: text}}})


def test_many_share_and_one_who_waits_keeps_new_ones_out():
    holders = Holders().entered("a", Mode.SHARED, "t").entered("b", Mode.SHARED, "t")
    assert set(holders.shared) == {"a", "b"}
    assert holders.entered("c", Mode.EXCLUSIVE, "t") is None
    waited = holders.queued("c", Mode.EXCLUSIVE, "t")
    assert waited.entered("d", Mode.SHARED, "t") is None
    assert waited.without("a", "b").entered("c", Mode.EXCLUSIVE, "t").exclusive == "c"


def test_who_waited_first_is_first_even_after_renewing():
    holders = Holders(exclusive="a").queued("b", Mode.EXCLUSIVE, "1").queued("c", Mode.EXCLUSIVE, "1")
    holders = holders.queued("b", Mode.EXCLUSIVE, "2").without("a")
    assert holders.entered("c", Mode.EXCLUSIVE, "t") is None
    assert holders.entered("b", Mode.EXCLUSIVE, "t").waiting == {"c": "1"}


def test_who_wanted_to_share_does_when_the_one_who_had_it_alone_leaves():
    holders = Holders(exclusive="a", renewed="1").queued("b", Mode.EXCLUSIVE, "1")
    holders = holders.queued("c", Mode.SHARED, "1").queued("d", Mode.SHARED, "1").without("a")
    assert holders == Holders(waiting={"b": "1"}, shared={"c": "1", "d": "1"}), "all at once, before the next one alone"
    assert holders.entered("c", Mode.SHARED, "2").shared == {"c": "2", "d": "1"}, "which they notice a little later"
    assert holders.entered("b", Mode.EXCLUSIVE, "2") is None
    assert holders.without("c", "d").entered("b", Mode.EXCLUSIVE, "2").exclusive == "b"


def test_who_wanted_to_share_and_is_gone_does_not():
    hoping = Holders(exclusive="a", renewed="1").queued("c", Mode.SHARED, "1")
    assert hoping.without("c") == Holders(exclusive="a", renewed="1")
    assert hoping.without("a", "c") == Holders()


def test_only_a_holder_renews():
    assert Holders(shared={"a": "1"}).renewed_by("b", "2") is None
    assert Holders(shared={"a": "1", "b": "1"}).renewed_by("a", "2").shared == {"a": "2", "b": "1"}
    assert Holders(exclusive="a", renewed="1").renewed_by("a", "2").renewed == "2"


STEPS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["shared", "exclusive", "queue", "hope", "leave", "renew"])),
    max_size=40,
)

QUEUES = {"queue": Mode.EXCLUSIVE, "hope": Mode.SHARED}


@given(STEPS)
def test_whatever_happens_nobody_is_in_beside_an_exclusive_holder(steps):
    holders = Holders()
    for number, (who, action) in enumerate(steps):
        stamp = str(number)
        if action == "leave":
            holders = holders.without(who)
        elif action in QUEUES:
            holders = holders if who in holders.stamps() else holders.queued(who, QUEUES[action], stamp)
        elif action == "renew":
            holders = holders.renewed_by(who, stamp) or holders
        elif who not in {*holders.shared, holders.exclusive}:
            holders = holders.entered(who, Mode(action), stamp) or holders
        assert not (holders.exclusive and holders.shared)
        assert Holders.of(holders.written(LEASE, 60)) == holders


@given(STEPS)
def test_once_all_have_left_anybody_enters(steps):
    holders = Holders()
    for who, action in steps:
        queue = QUEUES.get(action)
        holders = (holders.queued(who, queue, "t") if queue else holders.entered(who, Mode.SHARED, "t")) or holders
    assert holders.without(*"abcd").entered("e", Mode.EXCLUSIVE, "t").exclusive == "e"
