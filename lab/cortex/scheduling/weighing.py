"""Why the first hosts are first, as far as Cortex can tell (Cortex sheet §1.5).

It finds the multipliers again by least squares over scores and activations. Every step that scored all survivors counts
as a weigher there, filters too: their columns are zero, the system has no solution, and no weigher is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import tanh

from lab.cortex.scheduling.runs import Run, StepRun

_EXPLAINED = 3
_NEGLIGIBLE = 0.01
_SINGULAR = 1e-10


def explain_weighing(run: Run) -> str:
    """Several lines about the first three hosts; "" with fewer than two hosts or without weighers."""
    hosts = run.ordered_hosts
    steps = [step for step in run.steps if step.activations and frozenset(hosts) <= step.activations.keys()]
    if len(hosts) < 2 or not steps:
        return ""
    multipliers = _multipliers(run, steps)
    account = None if multipliers is None else _Account(run, steps, multipliers)
    top = hosts[:_EXPLAINED]
    lines = [f"Weighing impact on top-{len(top)} ({', '.join(top)}):"]
    lines += _gaps(run, top) if account is None else account.lines(top)
    return "\n".join(lines).strip()


def _gaps(run: Run, top: Sequence[str]) -> Iterator[str]:
    """What can be said without multipliers."""
    for rank, (higher, lower) in enumerate(pairwise(top), start=1):
        bias = _bias(run, higher, lower)
        if abs(bias) > _NEGLIGIBLE:
            yield f"  {higher} is #{rank} due to initial weight bias ({bias:+.2f})."
        else:
            yield f"  {higher} is #{rank} over {lower} (gap: {_gap(run, higher, lower):.4f})."


def _bias(run: Run, higher: str, lower: str) -> float:
    return run.normalized_in_weights.get(higher, 0.0) - run.normalized_in_weights.get(lower, 0.0)


def _gap(run: Run, higher: str, lower: str) -> float:
    return run.aggregated_out_weights[higher] - run.aggregated_out_weights[lower]


@dataclass(frozen=True, slots=True)
class _Account:
    """Scores taken apart into what each weigher gave to each host."""

    run: Run
    steps: Sequence[StepRun]
    multipliers: Sequence[float]

    def lines(self, top: Sequence[str]) -> Iterator[str]:
        without = self._without()
        if without:
            yield without
        negligible = {step.name for step in self.steps}
        for rank, (higher, lower) in enumerate(pairwise(top), start=1):
            shares = self._shares(higher, lower)
            negligible -= {name for name, share in shares.items() if abs(share) >= _NEGLIGIBLE}
            yield from self._pair(rank, higher, lower, shares, quiet=bool(without))
        if negligible:
            yield f"  {', '.join(sorted(negligible))} had negligible impact on top-{len(top)} ordering."

    def _given(self, index: int, host: str) -> float:
        return self.multipliers[index] * tanh(self.steps[index].activations[host])

    def _without(self) -> str:
        """The first weigher without which another host would be first."""
        first, scores = self.run.ordered_hosts[0], self.run.aggregated_out_weights
        for index, step in enumerate(self.steps):
            instead = max(self.run.ordered_hosts, key=lambda host: scores[host] - self._given(index, host))
            if instead != first:
                return f"  Without {step.name}, {instead} would be #1 instead of {first}."
        return ""

    def _shares(self, higher: str, lower: str) -> Mapping[str, float]:
        return {
            step.name: self._given(index, higher) - self._given(index, lower) for index, step in enumerate(self.steps)
        }

    def _pair(self, rank: int, higher: str, lower: str, shares: Mapping[str, float], *, quiet: bool) -> Iterator[str]:
        gap, bias = _gap(self.run, higher, lower), _bias(self.run, higher, lower)
        leading, opposing = max(shares, key=lambda name: shares[name]), min(shares, key=lambda name: shares[name])
        if shares[leading] > _NEGLIGIBLE:
            gave = f"contributed {shares[leading]:+.2f} to gap of {gap:.2f}"
            yield f"  {higher} is #{rank} because of {leading} ({gave})."
        elif abs(bias) > _NEGLIGIBLE:
            yield f"  {higher} is #{rank} due to initial weight bias ({bias:+.2f})."
        elif not quiet:
            yield f"  {higher} is #{rank} over {lower} by a narrow margin (gap: {gap:.4f})."
        if shares[opposing] < -_NEGLIGIBLE:
            yield f"  {opposing} opposed this ranking (contributed {shares[opposing]:.2f})."


def _multipliers(run: Run, steps: Sequence[StepRun]) -> list[float] | None:
    """Least squares over the hosts; None where they do not determine the multipliers."""
    hosts = run.ordered_hosts
    if len(hosts) < len(steps):
        return None
    columns = [[tanh(step.activations[host]) for host in hosts] for step in steps]
    if not all(map(any, columns)):
        return None  # a column of zeros: the same answer, sooner
    added = [run.aggregated_out_weights[host] - run.normalized_in_weights.get(host, 0.0) for host in hosts]
    return _solved([[*(_dot(one, other) for other in columns), _dot(one, added)] for one in columns])


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(left * right for left, right in zip(one, other, strict=True))


def _solved(rows: list[list[float]]) -> list[float] | None:
    """The solution of a square system, right sides last in each row; None if a pivot is too small."""
    for column in range(len(rows)):
        pivot = max(range(column, len(rows)), key=lambda row: abs(rows[row][column]))
        if abs(rows[pivot][column]) < _SINGULAR:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(len(rows)):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [mine - factor * its for mine, its in zip(rows[row], rows[column], strict=True)]
    return [row[-1] / row[index] for index, row in enumerate(rows)]
