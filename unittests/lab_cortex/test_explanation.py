"""The text of a History, its traps included (cortex sheet §1.5)."""

from math import tanh

from lab.cortex.scheduling.explanation import explain, explain_failure
from lab.cortex.scheduling.runs import Run, StepRun


def made(hosts, *steps, multipliers=(), bias=None):
    """A run over equal hosts: each step is a name and its activations; those with a multiplier are weighers."""
    raw = dict.fromkeys(hosts, 0.0) | (bias or {})
    normalized = {host: tanh(weight) for host, weight in raw.items()}
    left, runs = list(hosts), []
    for name, activations in steps:
        runs.append(StepRun(name, tuple(left), dict.fromkeys(left, 0.0), activations))
        left = [host for host in left if host in activations]
    scores = {host: normalized[host] for host in left}
    for name, multiplier in multipliers:
        activations = dict(steps)[name]
        scores = {host: score + multiplier * tanh(activations[host]) for host, score in scores.items()}
    ordered = tuple(sorted(scores, key=lambda host: -scores[host]))
    return Run("p", tuple(hosts), raw, normalized, tuple(runs), scores, ordered)


def kept(*hosts):
    return dict.fromkeys(hosts, 0.0)


def test_a_run_that_failed():
    assert explain_failure("read-only runs are odd") == "Pipeline run failed: read-only runs are odd."


def test_without_steps_the_host_alone():
    assert explain(made("ab")) == "Selected host: a."
    assert explain(made("")) == ""


def test_who_was_filtered_out():
    run = made("abc", ("filter_one", kept("a", "b")), ("filter_two", kept("b")))
    assert explain(run) == (
        "Started with 3 host(s).\n\n"
        "filter_one filtered out c\n"
        "filter_two filtered out a\n\n"
        "1 hosts remaining (b)\n\n"
        "Selected host: b."
    )


def test_nobody_remains():
    run = made("ab", ("filter_one", {}))
    assert explain(run) == "Started with 2 host(s).\n\nfilter_one filtered out a, b\n\n0 hosts remaining ()"


def test_long_lists_are_cut():
    hosts = [f"h{number:02}" for number in range(13)]
    text = explain(made(hosts, ("filter_one", {})))
    assert "filtered out h00, h01, h02, h03, h04, h05, h06, h07, h08, h09 (and 3 more)" in text


def test_a_weigher_is_named_in_a_pipeline_without_filters():
    run = made("ab", ("kvm_cr_migration_slot", {"a": 0.1, "b": 0.0}), multipliers=[("kvm_cr_migration_slot", 1.0)])
    assert explain(run) == (
        "Started with 2 host(s).\n\n\n"
        "2 hosts remaining (a, b)\n\n"
        "Selected host: a.\n\n"
        "Weighing impact on top-2 (a, b):\n"
        "  a is #1 because of kvm_cr_migration_slot (contributed +0.10 to gap of 0.10)."
    )


def test_a_filter_hides_the_weigher():
    """The trap: the filter scores every survivor 0, so it counts as a weigher and the system has no one solution."""
    steps = (("filter_one", kept("a", "b")), ("kvm_cr_migration_slot", {"a": 0.1, "b": 0.0}))
    text = explain(made("ab", *steps, multipliers=[("kvm_cr_migration_slot", 1.0)]))
    assert "kvm_cr_migration_slot" not in text
    assert text.endswith("Weighing impact on top-2 (a, b):\n  a is #1 over b (gap: 0.0997).")


def test_fewer_hosts_than_weighers_hide_them_too():
    steps = (("one", {"a": 0.3, "b": 0.1}), ("two", {"a": 0.1, "b": 0.2}), ("three", {"a": 0.5, "b": 0.1}))
    text = explain(made("ab", *steps, multipliers=[("one", 1.0), ("two", 1.0), ("three", 1.0)]))
    assert text.endswith("a is #1 over b (gap: 0.4564).")


def test_two_weighers_one_against_the_other():
    steps = (("one", {"a": 0.5, "b": 0.1, "c": 0.0}), ("two", {"a": 0.2, "b": 0.3, "c": 0.1}))
    text = explain(made("abc", *steps, multipliers=[("one", 1.0), ("two", -1.0)]))
    assert text.splitlines()[-4:] == [
        "  a is #1 because of one (contributed +0.46 to gap of 0.36).",
        "  two opposed this ranking (contributed -0.10).",
        "  c is #2 because of two (contributed +0.19 to gap of 0.09).",
        "  one opposed this ranking (contributed -0.10).",
    ]


def test_a_step_without_which_another_would_lead():
    steps = (("one", {"a": 0.5, "b": 0.1}), ("two", {"a": 0.0, "b": 0.2}))
    text = explain(made("ab", *steps, multipliers=[("one", 1.0), ("two", 1.0)]))
    assert "  Without one, b would be #1 instead of a.\n" in text
    assert text.endswith("  two opposed this ranking (contributed -0.20).")


def test_weights_of_the_request():
    run = made("ab", ("one", {"a": 0.001, "b": 0.0}), multipliers=[("one", 1.0)], bias={"a": 0.5})
    assert "  a is #1 due to initial weight bias (+0.46)." in explain(run)
    assert explain(run).endswith("  one had negligible impact on top-2 ordering.")
