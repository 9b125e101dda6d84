"""The families that one process of Cortex has, all empty when it starts (cortex sheet §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric

from lab.cortex.metrics.series import DURATIONS, Counter, Gauge, Histogram, LooseCounter, spread

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_RUN = "cortex_filter_weigher_pipeline"
_HOSTS = spread(1, 1000, 10)
_SHIFTS = (*range(10), *range(10, 50, 10), *range(50, 350, 50))
Asked = Callable[[], Iterable[Gauge]]


class Metrics:
    """What one process counted since its start."""

    def __init__(self, extra: Mapping[str, str] | None = None, asked: Iterable[Asked] = ()) -> None:
        """extra: labels of every series (conf `monitoring.labels`). asked: gauges computed when somebody scrapes."""
        self._extra = extra or {}
        self._asked = tuple(asked)
        self.step_events = LooseCounter(f"{_RUN}_step_events", "Events that a step reported.")
        self._own: list[Counter | LooseCounter | Gauge | Histogram] = [self.step_events]
        self._counters: dict[str, Counter] = {}
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)
        pipeline, step = ("pipeline",), ("pipeline", "step")
        self.migration_slots = self._counter(
            "cortex_nova_weigh_cr_migration_slot_requests",
            "Runs of the migration slot weigher for live migrations, by what it found.",
            "result",
        )
        self.placements = self._counter(
            "cortex_nova_placement",
            "Placements of flavors in a group, by what became of the project's reservation slots.",
            *("flavor_group", "intent", "cr_slot"),
        )
        self.no_host = self._counter(
            "cortex_nova_no_host_found",
            "Runs that found no host, by how far commitments would have covered the VM.",
            *("cr_slot", "flavor_group", "intent"),
        )
        self.quota = self._counter(
            "cortex_nova_filter_quota_enforcement_decisions",
            "What the quota filter decided.",
            *("mode", "decision", "resource", "availability_zone", "flavor_group"),
        )
        self.requests = self._counter(f"{_RUN}_requests", "Requests a pipeline was run for.", *pipeline)
        self.weight_modification = self._gauge(
            f"{_RUN}_step_weight_modification", "Sum of the activations a step gave a host.", "pipeline", "host", "step"
        )
        self.hosts_in = self._histogram(f"{_RUN}_host_number_in", "Hosts into a run.", pipeline, _HOSTS)
        self.hosts_out = self._histogram(f"{_RUN}_host_number_out", "Hosts out of a run.", pipeline, _HOSTS)
        self.run_duration = self._histogram(f"{_RUN}_run_duration_seconds", "Duration of a run.", pipeline)
        self.step_duration = self._histogram(f"{_RUN}_step_run_duration_seconds", "Duration of a step.", step)
        self.removed_hosts = self._histogram(f"{_RUN}_step_removed_hosts", "Hosts a step removed.", step, _HOSTS)
        self.shift_origin = self._histogram(
            f"{_RUN}_step_shift_origin", "Where a host stood before a step moved it.", (*step, "outidx"), _SHIFTS
        )
        self.api_duration = self._histogram(
            "cortex_scheduler_api_request_duration_seconds",
            "Duration of API requests.",
            ("method", "path", "status", "error"),
        )
        self.oversubscribed = self._gauge(
            "cortex_committed_resource_host_oversubscribed",
            "By how much VMs and reservations exceed what a host has.",
            *("host", "az", "resource"),
        )
        self.evicted_reservations = self._counter(
            "cortex_committed_resource_host_oversubscribed_evicted_reservations",
            "Slots that were evicted from hosts with too many.",
            "az",
        )

    def count(self, family: str, labels: Mapping[str, str]) -> None:
        """Count one in the counter of that full name; raises KeyError for a name or labels that it does not have."""
        counter = self._counters[family]
        counter.inc(*(labels[label] for label in counter.labels))

    def text(self) -> bytes:
        """What `GET /metrics` answers."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Every family that has a series, ordered by name: what a registry asks for."""
        families = [*self._own, *(gauge for ask in self._asked for gauge in ask())]
        for family in sorted(families, key=lambda each: each.name):
            if family.values:
                yield family.family(self._extra)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        counter = self._counters[f"{name}_total"] = Counter(name, text, labels)
        self._own.append(counter)
        return counter

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        self._own.append(gauge := Gauge(name, text, labels))
        return gauge

    def _histogram(
        self, name: str, text: str, labels: tuple[str, ...], buckets: tuple[float, ...] = DURATIONS
    ) -> Histogram:
        self._own.append(histogram := Histogram(name, text, labels, buckets))
        return histogram
