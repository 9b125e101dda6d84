"""Counters, gauges and histograms with labels. A family without series shows nothing, as with Go's client."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

DURATIONS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds, Go's default buckets
Values = tuple[str, ...]  # of a family's labels, in their order


@dataclass(slots=True)
class Counter:
    """A number per set of label values that only grows. `name` is without `_total`."""

    name: str
    text: str
    labels: tuple[str, ...]
    values: dict[Values, float] = field(default_factory=dict)

    def inc(self, *values: str) -> None:
        """Count one."""
        self.values[values] = self.values.get(values, 0.0) + 1.0

    def family(self, extra: Mapping[str, str]) -> Metric:
        """As scraped; `extra`: labels that every series gets."""
        family = CounterMetricFamily(self.name, self.text, labels=(*self.labels, *extra))
        for values, value in self.values.items():
            family.add_metric((*values, *extra.values()), value)
        return family


@dataclass(slots=True)
class LooseCounter:
    """A counter whose series have labels of their own."""

    name: str
    text: str
    values: dict[tuple[tuple[str, str], ...], float] = field(default_factory=dict)

    def inc(self, labels: Mapping[str, str]) -> None:
        """Count one."""
        key = tuple(labels.items())
        self.values[key] = self.values.get(key, 0.0) + 1.0

    def family(self, extra: Mapping[str, str]) -> Metric:
        """As scraped; `extra`: labels that every series gets."""
        family = CounterMetricFamily(self.name, self.text)
        for labels, value in self.values.items():
            family.add_sample(f"{self.name}_total", {**dict(labels), **extra}, value)
        return family


@dataclass(slots=True)
class Gauge:
    """A number per set of label values."""

    name: str
    text: str
    labels: tuple[str, ...]
    values: dict[Values, float] = field(default_factory=dict)

    def set(self, *values: str, to: float) -> None:
        """Set one."""
        self.values[values] = to

    def add(self, *values: str, by: float) -> None:
        """Change one."""
        self.values[values] = self.values.get(values, 0.0) + by

    def forget(self, *values: str) -> None:
        """Drop every series whose first labels have these values."""
        self.values = {key: value for key, value in self.values.items() if key[: len(values)] != values}

    def family(self, extra: Mapping[str, str]) -> Metric:
        """As scraped; `extra`: labels that every series gets."""
        family = GaugeMetricFamily(self.name, self.text, labels=(*self.labels, *extra))
        for values, value in self.values.items():
            family.add_metric((*values, *extra.values()), value)
        return family


@dataclass(slots=True)
class _Observed:
    """What one series of a histogram saw: how many values fell into each bucket, and their sum."""

    counts: list[int]
    total: float = 0.0


@dataclass(slots=True)
class Histogram:
    """A distribution per set of label values. `buckets`: upper bounds, without the infinite one."""

    name: str
    text: str
    labels: tuple[str, ...]
    buckets: Sequence[float] = DURATIONS
    values: dict[Values, _Observed] = field(default_factory=dict)

    def observe(self, *values: str, value: float) -> None:
        """Count a value."""
        observed = self.values.setdefault(values, _Observed([0] * (len(self.buckets) + 1)))
        observed.counts[bisect_left(self.buckets, value)] += 1
        observed.total += value

    def family(self, extra: Mapping[str, str]) -> Metric:
        """As scraped; `extra`: labels that every series gets."""
        family = HistogramMetricFamily(self.name, self.text, labels=(*self.labels, *extra))
        bounds = [*(f"{bound:.12g}" for bound in self.buckets), "+Inf"]
        for values, observed in self.values.items():
            buckets = list(zip(bounds, _running(observed.counts), strict=True))
            family.add_metric((*values, *extra.values()), buckets, observed.total)
        return family


def _running(counts: Iterable[int]) -> list[float]:
    total, result = 0.0, []
    for count in counts:
        total += count
        result.append(total)
    return result


def spread(least: float, most: float, count: int) -> tuple[float, ...]:
    """`count` bounds from `least` to `most`, each the same factor above the one before."""
    factor = (most / least) ** (1 / (count - 1))
    return tuple(least * factor**index for index in range(count))
