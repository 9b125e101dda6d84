"""Parts of a run: nothing is lost, nothing runs twice, and what belongs together stays together."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.errors import SiteError
from utilities.plugin.shards import Shard, together


@dataclass(frozen=True)
class Item:
    """A test, for what shards ask of it."""

    name: int
    module: str
    scenarios: tuple[str, ...]


ITEMS = st.lists(
    st.builds(
        Item,
        st.integers(0, 9),
        st.sampled_from([f"m{number}" for number in range(8)]),
        st.lists(st.sampled_from([f"A-{number}" for number in range(8)]), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=40,
)


@given(ITEMS, st.data())
def test_every_test_is_in_exactly_one_part_and_no_part_is_empty(items, data):
    count = data.draw(st.integers(1, len(set(together(items)))))
    parts = [Shard(index, count).of(items) for index in range(count)]
    assert all(parts)
    assert sorted(repr(item) for part in parts for item in part) == sorted(map(repr, items))


@given(ITEMS, st.data())
def test_modules_and_scenarios_are_never_torn_apart(items, data):
    count = data.draw(st.integers(1, len(set(together(items)))))
    parts = [Shard(index, count).of(items) for index in range(count)]
    for names in (lambda item: [item.module], lambda item: item.scenarios):
        held = [{name for item in part for name in names(item)} for part in parts]
        assert sum(len(each) for each in held) == len(set().union(*held))


@given(ITEMS.filter(lambda items: len({item.name for item in items}) == len(items)), st.randoms())
def test_the_order_of_collection_does_not_matter(items, random):
    count = len(set(together(items)))
    other = random.sample(items, len(items))
    assert all(set(Shard(index, count).of(items)) == set(Shard(index, count).of(other)) for index in range(count))


def test_parts_are_of_about_the_same_size():
    items = [Item(number, f"m{number % 7}", ()) for number in range(70)]
    sizes = [len(Shard(index, 3).of(items)) for index in range(3)]
    assert sorted(sizes) == [20, 20, 30]


@pytest.mark.parametrize("text", ["", "1", "4/4", "5/4", "0/0", "-1/4", "a/b", "1/4/2"])
def test_what_is_no_part_is_named(text):
    with pytest.raises(SiteError, match=f"--shard {text}: not a part of a run"):
        Shard.parse(text)


def test_the_last_part():
    assert Shard.parse("3/4") == Shard(3, 4)


def test_more_parts_than_groups_are_refused():
    with pytest.raises(SiteError, match="--shard 2/3: the selected tests make at most 2 parts"):
        Shard(2, 3).of([Item(1, "a", ()), Item(2, "b", ())])
