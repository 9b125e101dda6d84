"""Whatever comes in: an answer, and nothing that breaks the lab."""

import copy

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.cortex.http.answers import PATH
from unittests.lab_cortex.bed import STEERING, Bed
from unittests.lab_cortex_scheduling.bodies import body

BED = Bed()
for _name in "abc":
    BED.host(_name)
BED.slot("slot-a", "a")
BED.commitment()
GOOD = body("a", "b", "c", pipeline=STEERING, options={"max_candidates": 2}, context={"project_id": "P"})
VALUES = st.none() | st.booleans() | st.integers(-3, 70_000) | st.floats(allow_nan=False) | st.text(max_size=4)
DOCUMENTS = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner)
)


def places(document, path=()):
    """Every place in a document."""
    yield path
    if isinstance(document, dict | list):
        for key, value in document.items() if isinstance(document, dict) else enumerate(document):
            yield from places(value, (*path, key))


PLACES = [path for path in places(GOOD) if path]


def put(document, path, value):
    """Put a value there, unless the place is gone."""
    try:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value
    except (KeyError, IndexError, TypeError):
        return


@st.composite
def spoilt(draw):
    """A body of Nova's in which one or two places hold something else."""
    document = copy.deepcopy(GOOD)
    for _ in range(draw(st.integers(1, 2))):
        put(document, draw(st.sampled_from(PLACES)), draw(DOCUMENTS))
    return document


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(spoilt(), st.sampled_from([STEERING, "", "kvm-hana-bin-packing"]))
def test_a_body_with_something_odd_in_it(document, pipeline):
    if document.get("pipeline") == STEERING:
        document["pipeline"] = pipeline
    reply = BED.cortex.front.answer("POST", PATH, orjson.dumps(document))
    assert reply.status in (200, 400, 500)
    if reply.status == 200:
        hosts = orjson.loads(reply.body)["hosts"]
        assert hosts is None or set(hosts) <= set("abc")
    else:
        assert reply.body.endswith(b"\n")
        assert len(reply.body.splitlines()) == 1
    BED.clock.advance(0.1)


@pytest.mark.parametrize("vm", ["", "Not A Name", "x" * 300])
def test_a_vm_after_which_no_object_can_be_named(vm):
    """The product logs that no History could be written, and answers."""
    assert BED.hosts("a", instance_uuid=vm, pipeline=STEERING) == ["a"]
    assert BED.history(vm) is None
