"""Scrapes are read by Prometheus' own parser, and differences know absent series and new processes."""

from utilities.cortex.metrics import MODIFICATIONS, OUTCOMES, RUNS, Scrape

TEXT = """\
# HELP cortex_nova_weigh_cr_migration_slot_requests_total Runs.
# TYPE cortex_nova_weigh_cr_migration_slot_requests_total counter
cortex_nova_weigh_cr_migration_slot_requests_total{component="nova",result="slot_found"} 3
cortex_nova_weigh_cr_migration_slot_requests_total{component="nova",result="no_slot"} 1
# TYPE cortex_filter_weigher_pipeline_requests_total counter
cortex_filter_weigher_pipeline_requests_total{pipeline="p"} 4
# TYPE cortex_filter_weigher_pipeline_step_weight_modification gauge
cortex_filter_weigher_pipeline_step_weight_modification{pipeline="p",host="a",step="s"} 0.3
# TYPE go_goroutines gauge
go_goroutines 12
"""


def test_families_are_read_by_their_labels():
    scrape = Scrape.of(TEXT)
    assert scrape.by(OUTCOMES, "result") == {"slot_found": 3, "no_slot": 1}
    assert scrape.by(RUNS, "pipeline") == {"p": 4}
    assert scrape.by(MODIFICATIONS, "host", pipeline="p", step="s") == {"a": 0.3}
    assert scrape.by(MODIFICATIONS, "host", pipeline="p", step="other") == {}


def test_what_nobody_asks_for_is_not_parsed():
    assert {name for name, _ in Scrape.of(TEXT).values} == {OUTCOMES, RUNS, MODIFICATIONS}


def test_absent_series_read_as_zero():
    assert Scrape.of(TEXT).since(Scrape.of("")).by(OUTCOMES, "result") == {"slot_found": 3, "no_slot": 1}


def test_only_what_changed_is_told():
    later = Scrape.of(TEXT.replace('slot_found"} 3', 'slot_found"} 4').replace("0.3", "0.2"))
    gained = later.since(Scrape.of(TEXT))
    assert gained.by(OUTCOMES, "result") == {"slot_found": 1}
    assert round(gained.by(MODIFICATIONS, "host")["a"], 6) == -0.1


def test_a_counter_that_fell_began_anew():
    restarted = Scrape.of(TEXT.replace('slot_found"} 3', 'slot_found"} 1'))
    assert restarted.since(Scrape.of(TEXT)).by(OUTCOMES, "result") == {"slot_found": 1}
