"""What a Lease says about its holders, and which changes it allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.errors import SiteError
from utilities.sharing.holders import SHARED, WAITING, Holders, Mode

LEASE = {"metadata": {"name": "lock", "namespace": "default", "resourceVersion": "7", "annotations": {"other": "kept"}}}


def test_a_new_lease_is_held_by_nobody():
    assert Holders.of({**LEASE, "spec": {}}) == Holders()


def test_what_is_written_is_read_again_and_other_annotations_stay():
    holders = Holders(exclusive="a", renewed="t2", acquired="t1", transitions=3, waiting={"b": "t3"})
    lease = holders.written(LEASE, 60)
    assert Holders.of(lease) == holders
    assert lease["spec"]["leaseDurationSeconds"] == 60
    assert lease["metadata"]["annotations"]["other"] == "kept"
    assert lease["metadata"]["resourceVersion"] == "7"


@pytest.mark.parametrize("annotation", [SHARED, WAITING])
@pytest.mark.parametrize("text", ["no json", "[]", '{"a": 1}'])
def test_an_annotation_that_is_not_ours_is_named(annotation, text):
    with pytest.raises(SiteError, match=f"Lease default/lock: annotation {annotation}"):
        Holders.of({"metadata": {"name": "lock", "namespace": "default", "annotations": {annotation: text}}})


def test_many_share_and_one_who_waits_keeps_new_ones_out():
    holders = Holders().entered("a", Mode.SHARED, "t").entered("b", Mode.SHARED, "t")
    assert set(holders.shared) == {"a", "b"}
    assert holders.entered("c", Mode.EXCLUSIVE, "t") is None
    waited = holders.queued("c", "t")
    assert waited.entered("d", Mode.SHARED, "t") is None
    assert waited.without("a", "b").entered("c", Mode.EXCLUSIVE, "t").exclusive == "c"


def test_who_waited_first_is_first_even_after_renewing():
    holders = Holders(exclusive="a").queued("b", "1").queued("c", "1").queued("b", "2").without("a")
    assert holders.entered("c", Mode.EXCLUSIVE, "t") is None
    assert holders.entered("b", Mode.EXCLUSIVE, "t").waiting == {"c": "1"}


def test_only_a_holder_renews():
    assert Holders(shared={"a": "1"}).renewed_by("b", "2") is None
    assert Holders(shared={"a": "1", "b": "1"}).renewed_by("a", "2").shared == {"a": "2", "b": "1"}
    assert Holders(exclusive="a", renewed="1").renewed_by("a", "2").renewed == "2"


STEPS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["shared", "exclusive", "queue", "leave", "renew"])), max_size=40
)


@given(STEPS)
def test_whatever_happens_nobody_is_in_beside_an_exclusive_holder(steps):
    holders = Holders()
    for number, (who, action) in enumerate(steps):
        stamp = str(number)
        if action == "leave":
            holders = holders.without(who)
        elif action == "queue":
            holders = holders if who in holders.stamps() else holders.queued(who, stamp)
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
        holders = (holders.queued(who, "t") if action == "queue" else holders.entered(who, Mode.SHARED, "t")) or holders
    assert holders.without(*"abcd").entered("e", Mode.EXCLUSIVE, "t").exclusive == "e"
