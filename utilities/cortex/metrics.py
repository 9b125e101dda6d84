"""What Cortex has counted: scrapes, and what changed between two of them (cortex sheet §7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

OUTCOMES = "cortex_nova_weigh_cr_migration_slot_requests_total"
"""Counter of the steering weigher, by `result`."""
RUNS = "cortex_filter_weigher_pipeline_requests_total"
"""Counter of runs, by `pipeline`; told shortly after the answer."""
MODIFICATIONS = "cortex_filter_weigher_pipeline_step_weight_modification"
"""Sum of raw activations, by `pipeline`, `host` and `step`."""
_FAMILIES = tuple(name.removesuffix("_total") for name in (OUTCOMES, RUNS, MODIFICATIONS))

Labels = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Scrape:
    """Values of series by name and labels; a series that is not there reads as 0."""

    values: Mapping[tuple[str, Labels], float]

    @classmethod
    def of(cls, text: str) -> Scrape:
        """Of the Prometheus text form; of the many families only those are parsed that somebody asks for."""
        lines = (line for line in text.splitlines() if _wanted(line))
        families = text_string_to_metric_families("\n".join([*lines, ""]))
        samples = (sample for family in families for sample in family.samples)
        return cls({(sample.name, frozenset(sample.labels.items())): float(sample.value) for sample in samples})

    def since(self, before: Scrape) -> Scrape:
        """What was added since an earlier scrape. A counter that fell began anew: then all of it is new."""
        added = {}
        for series, value in self.values.items():
            old = before.values.get(series, 0.0)
            restarted = series[0] != MODIFICATIONS and value < old
            added[series] = value if restarted else value - old
        return Scrape(added)

    def by(self, name: str, label: str, **labels: str) -> dict[str, float]:
        """Values other than 0 of a family by one of its labels, of the series that have these labels."""
        wanted, found = set(labels.items()), dict[str, float]()
        for (family, told), value in self.values.items():
            if family == name and wanted <= told and value:
                key = dict(told).get(label, "")
                found[key] = found.get(key, 0.0) + value
        return found


def _wanted(line: str) -> bool:
    return line.removeprefix("# HELP ").removeprefix("# TYPE ").startswith(_FAMILIES)
