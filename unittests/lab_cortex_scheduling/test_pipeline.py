"""The mechanics of a run (Cortex sheet §3), with steps made for it."""

import random
from collections import Counter
from math import tanh

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.cortex.scheduling.pipeline import Configured, Pipeline, run
from lab.cortex.scheduling.reply import hosts_for_nova
from lab.cortex.scheduling.runs import RunError
from lab.cortex.scheduling.steps import Answered, Count, Step, StepError, everyone, keep
from unittests.lab_cortex_scheduling.bodies import flavor, request
from unittests.lab_cortex_scheduling.objects import hypervisor, view

HOSTS = "abcdef"
NUMBERS = st.floats(-3, 3, allow_nan=False)
SETS = st.sets(st.sampled_from(HOSTS))


def dropping(names, name="drop"):
    return Configured(Step(name, lambda asked: keep(host for host in asked.hosts if host not in names)))


def weighing(activations, multiplier=1.0, name="weigh"):
    def weigh(asked):
        return Answered({host: activations.get(host, 0.0) for host in asked.hosts})

    return Configured(Step(name, weigh), multiplier=multiplier)


def failing(asked):
    raise StepError("no")


BROKEN = Configured(Step("broken", failing))


def ran(filters=(), weighers=(), hosts=HOSTS, seen=None, ignoring=False, seed=1, **changes):
    pipeline = Pipeline("p", ignoring, tuple(filters), tuple(weighers))
    return run(pipeline, request(*hosts, **changes), seen or view(), random.Random(seed))


@given(
    weights=st.fixed_dictionaries(dict.fromkeys(HOSTS, NUMBERS)),
    dropped=st.lists(SETS, max_size=3),
    weighers=st.lists(st.tuples(st.dictionaries(st.sampled_from(HOSTS), NUMBERS), NUMBERS), max_size=3),
    seed=st.integers(0, 9),
)
def test_scores_and_order_of_any_pipeline(weights, dropped, weighers, seed):
    outcome = ran(
        [dropping(names, f"drop-{number}") for number, names in enumerate(dropped)],
        [weighing(given, multiplier, f"weigh-{number}") for number, (given, multiplier) in enumerate(weighers)],
        weights=weights,
        seed=seed,
    )
    left = set(HOSTS) - set().union(*dropped)
    assert set(outcome.ordered_hosts) == set(outcome.aggregated_out_weights) == left
    for host in left:
        score = tanh(weights[host]) if weighers else weights[host]
        for given_, multiplier in weighers:
            score += multiplier * tanh(given_.get(host, 0.0))
        assert outcome.aggregated_out_weights[host] == pytest.approx(score)
    scores = [outcome.aggregated_out_weights[host] for host in outcome.ordered_hosts]
    assert scores == sorted(scores, reverse=True)
    assert outcome.raw_in_weights == weights
    expected = [f"drop-{number}" for number in range(len(dropped))]
    expected += [f"weigh-{number}" for number in range(len(weighers))] if left else []
    assert [step.name for step in outcome.steps] == expected
    assert outcome.target == (outcome.ordered_hosts[0] if left else None)


@given(activations=st.fixed_dictionaries(dict.fromkeys(HOSTS, NUMBERS)), more=NUMBERS)
def test_the_same_for_all_changes_no_order(activations, more):
    before = ran([], [weighing(activations)])
    after = ran([], [weighing(activations), weighing(dict.fromkeys(HOSTS, more), name="same")])
    best = {host: before.aggregated_out_weights[host] for host in before.ordered_hosts}
    for higher, lower in zip(after.ordered_hosts, after.ordered_hosts[1:], strict=False):
        assert best[higher] >= best[lower] - 1e-9


def test_equal_scores_come_in_an_order_that_the_seed_chooses():
    orders = Counter(ran(seed=seed).ordered_hosts for seed in range(60))
    assert len(orders) > 20
    assert {order[0] for order in orders} == set(HOSTS)
    assert ran(seed=7).ordered_hosts == ran(seed=7).ordered_hosts


def test_each_filter_sees_what_the_one_before_left():
    outcome = ran([dropping("ab", "one"), dropping("c", "two")], [weighing({"d": 1.0})])
    assert [step.hosts_in for step in outcome.steps] == [tuple("abcdef"), tuple("cdef"), tuple("def")]
    assert outcome.ordered_hosts[0] == "d"
    assert outcome.activations("one") == dict.fromkeys("cdef", 0.0)


def test_a_filter_that_fails_removes_nobody_and_the_run_goes_on():
    outcome = ran([BROKEN, dropping("a")], [BROKEN, weighing({"b": 1.0})])
    assert outcome.ordered_hosts[0] == "b"
    assert [step.name for step in outcome.steps] == ["drop", "weigh"]
    assert outcome.errors == (("broken", "no"), ("broken", "no"))


def test_a_weigher_that_loses_a_host_is_left_out_though_it_has_counted():
    def lose(asked):
        return Answered(dict.fromkeys(asked.hosts[1:], 1.0), counts=(Count("f", {}),))

    outcome = ran([], [Configured(Step("lose", lose))], weights=dict.fromkeys(HOSTS, 0.5))
    assert not outcome.steps
    assert outcome.counts == (Count("f", {}),)
    assert outcome.errors == (("lose", "safety: number of (deduplicated) hosts changed during step execution"),)
    assert set(outcome.aggregated_out_weights.values()) == {tanh(0.5)}


def test_without_survivors_no_weigher_runs():
    outcome = ran([dropping(HOSTS)], [weighing({})])
    assert [step.name for step in outcome.steps] == ["drop"]
    assert (outcome.ordered_hosts, outcome.target) == ((), None)
    assert "orderedHosts" not in outcome.to_result()


def test_without_weighers_the_weights_stay_as_they_are():
    weights = {"a": 50.0, "b": 60.0}
    outcome = ran(hosts="ab", weights=weights)
    assert outcome.normalized_in_weights == weights
    assert outcome.ordered_hosts == ("b", "a")
    weighed = ran([], [weighing({})], hosts="ab", weights=weights)
    assert weighed.normalized_in_weights == {"a": tanh(50), "b": tanh(60)}


def test_a_host_named_twice_is_one():
    outcome = ran([], [weighing({"a": 1})], hosts="aab", weights={"a": 0, "b": 0})
    assert sorted(outcome.ordered_hosts) == ["a", "b"]


def test_the_preselection_may_be_ignored():
    seen = view([hypervisor("x"), hypervisor("y")])
    outcome = ran([], [weighing({"y": 1.0})], hosts="a", weights={"a": 9.0}, seen=seen, ignoring=True)
    assert outcome.ordered_hosts == ("y", "x")
    assert outcome.raw_in_weights == {"x": 0.0, "y": 0.0}
    assert outcome.hosts_in == ("x", "y")


def test_the_preselection_is_ignored_for_kvm_only():
    vmware = flavor(**{"capabilities:hypervisor_type": "VMware vCenter Server"})
    with pytest.raises(RunError) as caught:
        ran(ignoring=True, flavor=vmware)
    expected = 'cannot gather all placement candidates for hypervisor type "VMware vCenter Server"'
    assert (caught.value.text, caught.value.recorded) == (expected, False)
    nothing = {"nova_object.data": {"extra_specs": {"b": "2", "a": "1"}}}
    with pytest.raises(RunError, match=r"missing hypervisor_type in flavor extra specs: map\[a:1 b:2\]"):
        ran(ignoring=True, flavor=nothing)


def test_options_that_contradict_are_refused_and_recorded():
    with pytest.raises(RunError) as caught:
        ran(options={"read_only": True})
    assert caught.value.recorded
    assert caught.value.text == "read-only runs must not write scheduling history: set SkipHistory=true"


@pytest.mark.parametrize(("most", "left"), [(0, 6), (2, 2), (9, 6)])
def test_the_best_candidates_may_be_enough(most, left):
    outcome = ran([], [weighing({"a": 1.0, "b": 0.5})], options={"max_candidates": most})
    assert len(outcome.ordered_hosts) == left
    assert outcome.ordered_hosts[:2] == ("a", "b")
    assert set(outcome.aggregated_out_weights) == set(outcome.ordered_hosts)


def test_a_result_as_a_decision_holds_it():
    outcome = ran([dropping("b")], [weighing({"a": 1.0})], hosts="ab", weights={"a": 0.5, "b": 0})
    assert outcome.to_result() == {
        "rawInWeights": {"a": 0.5, "b": 0},
        "normalizedInWeights": {"a": tanh(0.5), "b": 0.0},
        "stepResults": [
            {"stepName": "drop", "activations": {"a": 0.0}},
            {"stepName": "weigh", "activations": {"a": 1.0}},
        ],
        "aggregatedOutWeights": {"a": tanh(0.5) + tanh(1.0)},
        "orderedHosts": ["a"],
        "targetHost": "a",
    }


def reply(*hosts, asked=HOSTS, limited=True, shuffled=0, seed=1, **changes):
    weights = {host: float(len(hosts) - number) for number, host in enumerate(hosts)}
    outcome = ran([Configured(Step("all", everyone))], hosts=hosts, weights=weights)
    return hosts_for_nova(request(*asked, **changes), outcome, random.Random(seed), limited=limited, shuffled=shuffled)


def test_the_answer_is_limited_to_the_hosts_asked_about():
    assert reply("x", "b", "a") == ["b", "a"]
    assert reply("x", "b", "a", limited=False) == ["x", "b", "a"]
    assert reply("x", asked="a") is None
    assert reply() is None


def test_the_first_hosts_of_an_evacuation_come_in_random_order():
    orders = {tuple(reply(*HOSTS, hint="evacuate", shuffled=3, seed=seed)) for seed in range(40)}
    assert len(orders) == 6
    assert {order[3:] for order in orders} == {tuple("def")}
    assert reply(*HOSTS, shuffled=3) == list(HOSTS)
    assert reply(*HOSTS, hint="evacuate") == list(HOSTS)
