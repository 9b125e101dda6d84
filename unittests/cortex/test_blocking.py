"""Double-blocking over handwritten recordings: the states of the sheet's table, number by number."""

import pytest

from unittests.cortex.story import GI, Story
from utilities.cortex.blocking import Place
from utilities.cortex.quantities import number
from utilities.errors import NotEnoughEvidence
from utilities.history import Gap


@pytest.fixture
def followed():
    return Story.followed()


def levels(blocking):
    return [(level.end - level.start, level.over / GI) for level in blocking.levels()]


def test_settled_is_nothing_and_a_copy_is_the_vm_twice(followed):
    assert levels(followed.blocking()) == [(10, 0), (5, 16), (2, 0), (0, 32), (0, 0)]


def test_figures_of_a_slot_that_followed(followed):
    blocking = followed.blocking()
    assert blocking.peak == 32 * GI
    assert (blocking.seconds, blocking.over_time / GI) == (5, 80)
    assert blocking.closed
    assert blocking.hosts_of("vm") == (("dst", *_since(blocking, 10, 17)), ("src", *_since(blocking, 0, 15)))


def _since(blocking, *seconds):
    return tuple(blocking.levels()[0].start + each for each in seconds)


def test_places_of_a_slot_that_followed(followed):
    places = [str(place) for place, _, _ in followed.blocking().places_of("s")]
    assert places == [
        "src, 1 VMs expected, 1 confirmed",
        "on the way from src to dst, 1 VMs expected, 1 confirmed",
        "dst, 1 VMs expected, 1 confirmed",
    ]


def test_a_slot_that_stays_empty_is_held_beside_its_vm():
    story = Story()
    story.lists("dst", "vm", second=10)
    story.lists("src", second=15)
    story.slot("src", "src", expected=False, second=17)
    story.lists("dst", "vm", second=40)
    blocking = story.blocking()
    assert levels(blocking)[-1] == (23, 16)
    assert not blocking.closed


def test_an_unconfirmed_vm_keeps_its_part():
    story = Story()
    story.slot("src", "src", second=5)
    assert levels(story.blocking())[-1] == (0, 16)  # on its host, and kept for it in the slot


def test_what_may_be_missing_is_not_judged(followed):
    gap = Gap("Hypervisor", 2, 4, 0.0, 1.0, "lost")
    with pytest.raises(NotEnoughEvidence, match="Hypervisor unobserved"):
        followed.blocking([gap]).levels()


def test_settled_with_a_vm_means_altogether():
    assert Place("a", "a", ("vm",), {"vm": "a"}).settled_with("vm", "a")
    assert not Place("a", "b", ("vm",), {"vm": "a"}).settled_with("vm", "a")
    assert not Place("a", "a", ("vm",), {}).settled_with("vm", "a")
    assert not Place("a", "a", ("vm",), {"vm": "b"}).settled_with("vm", "a")


@pytest.mark.parametrize(("text", "bytes_"), [("16Gi", 16 * GI), ("1k", 1000), ("512Mi", 2**29), (7, 7), (None, 0)])
def test_quantities(text, bytes_):
    assert number(text) == bytes_


def test_what_is_no_quantity_is_refused():
    with pytest.raises(ValueError, match="'3iG' is no quantity"):
        number("3iG")
