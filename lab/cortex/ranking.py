"""Why the first hosts of a run stand in their order, as far as Cortex can tell (cortex sheet §1.5).

Cortex keeps no multipliers with a result, so it solves for them; that fails where a step gives every host the same
nothing. Steps count as weighers when they score all survivors, and so do filters: in a pipeline with filters the
system has columns of zeros, and the text names gaps instead of weighers. That is the product's way, kept here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import tanh

from lab.cortex.scheduling.runs import Run, StepRun

_FIRST = 3  # hosts that are explained
_NEGLIGIBLE = 0.01  # a smaller contribution is none
_SINGULAR = 1e-10  # a smaller pivot means that there is no one solution
Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class _Share:
    """What a step added to a host's score."""

    step: str
    by_host: Mapping[str, float]

    def between(self, higher: str, lower: str) -> float:
        """How much of the gap of two hosts is from this step."""
        return self.by_host[higher] - self.by_host[lower]


def reasons(run: Run) -> Iterator[str]:
    """Lines, none when there is nothing to compare."""
    steps = [step for step in run.steps if step.activations and step.activations.keys() >= set(run.ordered_hosts)]
    if len(run.ordered_hosts) < 2 or not steps:
        return
    first = run.ordered_hosts[:_FIRST]
    yield f"Weighing impact on top-{len(first)} ({', '.join(first)}):"
    multipliers = _multipliers(run, steps)
    if multipliers is None:
        yield from _gaps(run, first)
    else:
        yield from _by_step(run, first, [_share(run, *each) for each in zip(steps, multipliers, strict=True)])


def _share(run: Run, step: StepRun, multiplier: float) -> _Share:
    return _Share(step.name, {host: multiplier * tanh(step.activations[host]) for host in run.ordered_hosts})


def _gaps(run: Run, first: Sequence[str]) -> Iterator[str]:
    for rank, (higher, lower) in enumerate(_pairs(first), 1):
        bias = _bias(run, higher, lower)
        if abs(bias) > _NEGLIGIBLE:
            yield _biased(higher, rank, bias)
        else:
            yield f"  {higher} is #{rank} over {lower} (gap: {_gap(run, higher, lower):.4f})."


def _by_step(run: Run, first: Sequence[str], shares: Sequence[_Share]) -> Iterator[str]:
    decisive = _decisive(run, shares)
    if decisive:
        yield decisive
    for rank, (higher, lower) in enumerate(_pairs(first), 1):
        leading = max(shares, key=lambda share: share.between(higher, lower))
        gap, bias = _gap(run, higher, lower), _bias(run, higher, lower)
        if leading.between(higher, lower) > _NEGLIGIBLE:
            by = leading.between(higher, lower)
            yield f"  {higher} is #{rank} because of {leading.step} (contributed {by:+.2f} to gap of {gap:.2f})."
        elif abs(bias) > _NEGLIGIBLE:
            yield _biased(higher, rank, bias)
        elif not decisive:
            yield f"  {higher} is #{rank} over {lower} by a narrow margin (gap: {gap:.4f})."
        opposing = min(shares, key=lambda share: share.between(higher, lower))
        if opposing.between(higher, lower) < -_NEGLIGIBLE:
            yield f"  {opposing.step} opposed this ranking (contributed {opposing.between(higher, lower):.2f})."
    idle = {share.step for share in shares if all(abs(share.between(*pair)) < _NEGLIGIBLE for pair in _pairs(first))}
    if idle:
        yield f"  {', '.join(sorted(idle))} had negligible impact on top-{len(first)} ordering."


def _decisive(run: Run, shares: Sequence[_Share]) -> str:
    """The first step without which another host would lead."""
    leader = run.ordered_hosts[0]
    for share in shares:
        without = {host: run.aggregated_out_weights[host] - share.by_host[host] for host in run.ordered_hosts}
        other = max(run.ordered_hosts, key=lambda host: without[host])
        if other != leader:
            return f"  Without {share.step}, {other} would be #1 instead of {leader}."
    return ""


def _pairs(hosts: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(hosts, hosts[1:], strict=False)


def _bias(run: Run, higher: str, lower: str) -> float:
    return run.normalized_in_weights.get(higher, 0.0) - run.normalized_in_weights.get(lower, 0.0)


def _gap(run: Run, higher: str, lower: str) -> float:
    return run.aggregated_out_weights[higher] - run.aggregated_out_weights[lower]


def _biased(host: str, rank: int, bias: float) -> str:
    return f"  {host} is #{rank} due to initial weight bias ({bias:+.2f})."


def _multipliers(run: Run, steps: Sequence[StepRun]) -> list[float] | None:
    """By least squares over all hosts; None when there is no one solution."""
    if len(run.ordered_hosts) < len(steps):
        return None
    columns = [[tanh(step.activations[host]) for host in run.ordered_hosts] for step in steps]
    added = [run.aggregated_out_weights[host] - run.normalized_in_weights.get(host, 0.0) for host in run.ordered_hosts]
    system = [[*(_product(one, other) for other in columns), _product(one, added)] for one in columns]
    return _solved(system)


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(left * right for left, right in zip(one, other, strict=True))


def _solved(system: Matrix) -> list[float] | None:
    """The solution of a square system whose last column is the right side; None if it is singular."""
    size = len(system)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(system[row][column]))
        if abs(system[pivot][column]) < _SINGULAR:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        for row in range(size):
            if row != column:
                factor = system[row][column] / system[column][column]
                system[row] = [left - factor * right for left, right in zip(system[row], system[column], strict=True)]
    return [system[row][size] / system[row][row] for row in range(size)]
