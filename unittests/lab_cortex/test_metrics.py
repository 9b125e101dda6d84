"""The text form, read back with the parser that real scrapers use (cortex sheet §7)."""

from prometheus_client.parser import text_string_to_metric_families

from lab.cortex.metrics.families import Metrics
from lab.cortex.metrics.series import Gauge, spread


def samples(metrics):
    found = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        for sample in family.samples:
            found[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    return found


def test_nothing_is_shown_before_it_is_used():
    assert Metrics().text() == b""


def test_a_counter_with_the_labels_of_the_process():
    metrics = Metrics({"component": "nova-scheduling"})
    metrics.migration_slots.inc("slot_found")
    metrics.migration_slots.inc("slot_found")
    metrics.migration_slots.inc("no_slot")
    name = "cortex_nova_weigh_cr_migration_slot_requests_total"
    assert samples(metrics) == {
        (name, (("component", "nova-scheduling"), ("result", "slot_found"))): 2.0,
        (name, (("component", "nova-scheduling"), ("result", "no_slot"))): 1.0,
    }
    assert b"# TYPE cortex_nova_weigh_cr_migration_slot_requests_total counter" in metrics.text()


def test_a_gauge_is_a_running_sum():
    metrics = Metrics()
    for by in (0.1, 0.1, -0.05):
        metrics.weight_modification.add("p", "host-a", "kvm_cr_migration_slot", by=by)
    [value] = samples(metrics).values()
    assert round(value, 9) == 0.15


def test_a_gauge_forgets_a_host():
    metrics = Metrics()
    metrics.oversubscribed.set("a", "az-1", "memory", to=5)
    metrics.oversubscribed.set("b", "az-1", "memory", to=6)
    metrics.oversubscribed.forget("a")
    [(_, labels)] = samples(metrics)
    assert dict(labels)["host"] == "b"


def test_a_histogram_counts_up_to_each_bound():
    metrics = Metrics()
    for value in (1, 2, 5000):
        metrics.hosts_in.observe("p", value=value)
    found = samples(metrics)
    name = "cortex_filter_weigher_pipeline_host_number_in"

    def bucket(bound):
        return found[f"{name}_bucket", (("le", bound), ("pipeline", "p"))]

    assert (bucket("1"), bucket("2.15443469003"), bucket("1000"), bucket("+Inf")) == (1, 2, 2, 3)
    assert found[f"{name}_count", (("pipeline", "p"),)] == 3
    assert found[f"{name}_sum", (("pipeline", "p"),)] == 5003


def test_gauges_computed_on_demand():
    gauge = Gauge("cortex_reservations", "Reservations.", ("status_ready", "status_error"))
    gauge.set("True", "", to=3)
    found = samples(Metrics(asked=(lambda: (gauge,),)))
    assert found == {("cortex_reservations", (("status_error", ""), ("status_ready", "True"))): 3.0}


def test_bounds_are_spread_evenly_in_factors():
    assert [round(bound, 3) for bound in spread(1, 1000, 4)] == [1, 10, 100, 1000]


PIPELINE = "cortex_filter_weigher_pipeline"
FAMILIES = {
    "cortex_nova_weigh_cr_migration_slot_requests": ("counter", ("result",)),
    "cortex_nova_placement": ("counter", ("flavor_group", "intent", "cr_slot")),
    "cortex_nova_no_host_found": ("counter", ("cr_slot", "flavor_group", "intent")),
    "cortex_nova_filter_quota_enforcement_decisions": (
        "counter", ("mode", "decision", "resource", "availability_zone", "flavor_group"),
    ),
    f"{PIPELINE}_requests": ("counter", ("pipeline",)),
    f"{PIPELINE}_step_weight_modification": ("gauge", ("pipeline", "host", "step")),
    f"{PIPELINE}_host_number_in": ("histogram", ("pipeline",)),
    f"{PIPELINE}_host_number_out": ("histogram", ("pipeline",)),
    f"{PIPELINE}_run_duration_seconds": ("histogram", ("pipeline",)),
    f"{PIPELINE}_step_run_duration_seconds": ("histogram", ("pipeline", "step")),
    f"{PIPELINE}_step_removed_hosts": ("histogram", ("pipeline", "step")),
    f"{PIPELINE}_step_shift_origin": ("histogram", ("pipeline", "step", "outidx")),
    f"{PIPELINE}_step_events": ("counter", ("pipeline", "step", "event")),
    "cortex_scheduler_api_request_duration_seconds": ("histogram", ("method", "path", "status", "error")),
    "cortex_committed_resource_host_oversubscribed": ("gauge", ("host", "az", "resource")),
    "cortex_committed_resource_host_oversubscribed_evicted_reservations": ("counter", ("az",)),
}  # fmt: skip
"""Every family of the sheet that one process counts; a counter's samples end in `_total`."""


def test_every_family_of_the_sheet():
    metrics = Metrics()
    for family in metrics._own:
        values = ["x"] * len(getattr(family, "labels", ()))
        if hasattr(family, "observe"):
            family.observe(*values, value=1)
        elif hasattr(family, "set"):
            family.set(*values, to=1)
        elif family is metrics.step_events:
            family.inc({"pipeline": "x", "step": "x", "event": "x"})
        else:
            family.inc(*values)
    found = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        found[family.name] = (family.type, labels)
        if family.type == "counter":
            assert {sample.name for sample in family.samples} == {f"{family.name}_total"}
    assert found == {name: (kind, set(labels)) for name, (kind, labels) in FAMILIES.items()}


def test_counting_by_the_full_name():
    metrics = Metrics()
    metrics.count("cortex_nova_weigh_cr_migration_slot_requests_total", {"result": "no_slot"})
    assert metrics.migration_slots.values == {("no_slot",): 1.0}
