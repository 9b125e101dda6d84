"""The merge patch between two values."""

import pytest

from lab.kubevirt.merging import difference


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({}, {}, {}),
        ({"a": 1}, {"a": 1}, {}),
        ({}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": 1}, {}, {"a": None}),
        ({"a": 1, "b": {"x": 1}}, {"b": {"y": 2}}, {"a": None, "b": {"x": None, "y": 2}}),
        ({"a": {"x": {"p": 1, "q": 2}}}, {"a": {"x": {"p": 1}}}, {"a": {"x": {"q": None}}}),
        ({"a": [1, 2]}, {"a": [2]}, {"a": [2]}),
        ({"a": {"x": 1}}, {"a": 5}, {"a": 5}),
        ({"a": 5}, {"a": {}}, {"a": {}}),
    ],
)
def test_only_what_differs_and_null_for_what_goes(old, new, patch):
    assert difference(old, new) == patch
