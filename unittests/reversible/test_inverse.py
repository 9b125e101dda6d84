"""Patches and their inverses, on any objects."""

from hypothesis import given
from hypothesis import strategies as st

from utilities.reversible.inverse import inverse, touched

from ..watching.stub import merge

LEAVES = st.one_of(st.integers(0, 3), st.text("xy", max_size=1), st.lists(st.integers(0, 1), max_size=2))
KEYS = st.sampled_from("abc")
OBJECTS = st.dictionaries(
    KEYS, st.recursive(LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=6), max_size=3
)
PATCHES = st.dictionaries(
    KEYS,
    st.recursive(st.one_of(LEAVES, st.none()), lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=6),
    max_size=3,
)


@given(OBJECTS, PATCHES)
def test_a_patch_and_its_inverse_leave_the_object_as_it_was(obj, patch):
    changed = merge(obj, patch)

    assert merge(changed, inverse(touched(obj, patch), patch, changed)) == obj


@given(OBJECTS, PATCHES)
def test_taking_back_twice_changes_nothing_more(obj, patch):
    changed = merge(obj, patch)
    once = merge(changed, inverse(touched(obj, patch), patch, changed))

    assert merge(once, inverse(touched(obj, patch), patch, once)) == obj


@given(OBJECTS, PATCHES)
def test_taking_back_what_was_never_done_changes_nothing(obj, patch):
    assert merge(obj, inverse(touched(obj, patch), patch, obj)) == obj


def test_what_others_put_beside_ours_stays():
    obj, patch = {"metadata": {}}, {"metadata": {"annotations": {"ours": "1"}}}
    changed = merge(merge(obj, patch), {"metadata": {"annotations": {"theirs": "2"}}})

    assert merge(changed, inverse(touched(obj, patch), patch, changed)) == {
        "metadata": {"annotations": {"theirs": "2"}}
    }


def test_a_mapping_that_the_patch_made_goes_with_it():
    patch = {"spec": {"liveMigrationConfig": {"allowPostCopy": True}}}
    changed = merge({"spec": {}}, patch)

    assert inverse(touched({"spec": {}}, patch), patch, changed) == {"spec": {"liveMigrationConfig": None}}


def test_a_list_is_put_back_whole():
    obj, patch = {"gates": ["a", "b"]}, {"gates": ["c"]}

    assert inverse(touched(obj, patch), patch, patch) == {"gates": ["a", "b"]}
