"""Flights and what is true about them, looked at moment by moment."""

import math

from hypothesis import strategies as st

from utilities.history.in_flight import NEVER, Edge, Flight, Limits, Outcome, Proof

MOMENTS = (-math.inf, *(quarter / 4 for quarter in range(-20, 140)))


def flight(subject, start, end=math.inf, source="one", target="two", **more):
    ended = Edge.exactly(end, Proof.STATE) if end < math.inf else NEVER
    outcome = more.pop("outcome", Outcome.LEFT if end < math.inf else Outcome.OPEN)
    began = more.pop("began", Edge.exactly(start, Proof.POST))
    return Flight(subject, f"vm {subject}", began, ended, outcome, source, target, **more)


@st.composite
def truths(draw, most=10):
    """Flights as they were, each attempt of a subject after the one before it."""
    found = []
    for number in range(draw(st.integers(0, most))):
        at = draw(st.integers(0, 40)) / 2
        for _ in range(draw(st.integers(1, 2))):
            end = at + draw(st.integers(0, 20)) / 2
            found.append((f"s{number}", at, end))
            at = end + draw(st.integers(1, 6)) / 2
    return found


@st.composite
def limit_functions(draw):
    """A limit that may change twice."""
    limits = Limits.of(draw(st.integers(0, 4)))
    for at in sorted(draw(st.sets(st.integers(1, 50), max_size=2))):
        limits = limits.then(at / 2, draw(st.integers(0, 4)))
    return limits


def too_many(found, limits, at):
    """The rule, without a sweep: more than the limit now, and than the limit at the last of their starts."""
    there = [(start, subject) for subject, start, end in found if start <= at < end]
    if not there:
        return False
    last = max(start for start, _ in there)
    return len(there) > limits.at(at) and len(there) > limits.at(last)
