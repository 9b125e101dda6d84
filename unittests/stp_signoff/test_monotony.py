"""Adding a failure, or taking away a result or an approval, never makes a verdict better."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from unittests.stp_signoff.building import TITLE, environment, linted, plan_text, revision
from utilities.stp.signoff.approvals import Agreement, Approval, Approvals, Automation, Decision, Documentation
from utilities.stp.signoff.dossier import Phase, dossier
from utilities.stp.signoff.facts import facts_in
from utilities.stp.signoff.gate import Readiness, judge
from utilities.stp.signoff.outcome import Outcome
from utilities.stp.signoff.results import Attempt, Entry, Run

TEXT = plan_text(excluded="P1")
PLANNED, FINDINGS = linted(TEXT)
SCENARIOS = [scenario.key for scenario in PLANNED.scenarios]
FACTS = facts_in(environment(TEXT))
LAB = facts_in(environment(TEXT, Target_kind="lab"))
ORDER = [Readiness.NOT_READY, Readiness.EXCEPTIONS, Readiness.READY]
RESULTS = [outcome for outcome in Outcome if outcome not in (Outcome.EXCLUDED, Outcome.DESIGNED)]
FAILURES = [outcome for outcome in RESULTS if outcome is not Outcome.PASSED]


def attempt(scenario, outcome, number=0, feature=TITLE):
    """A result of one test of a scenario."""
    key = f"tests.a.test_b#test_{scenario}_{number}"
    return Attempt(key, key, (scenario,), (feature,), (), "", outcome, "", 1, 2, (), (), (), Path(f"{key}.json"))


mostly_green = st.sampled_from([Outcome.PASSED] * 6 + FAILURES)
extra = st.lists(st.tuples(st.sampled_from([*SCENARIOS, "GROW-99"]), mostly_green, st.integers(0, 1)), max_size=2)


@st.composite
def runs(draw):
    """One or two runs; most scenarios have a result, most results are good, some runs list what they ran."""
    found = []
    for number in range(draw(st.integers(1, 2))):
        attempts = [attempt(key, draw(mostly_green)) for key in SCENARIOS[:4] if draw(st.integers(0, 9)) or number]
        attempts += [attempt(*each) for each in draw(extra) if not draw(st.integers(0, 2))]
        ledger = None
        if draw(st.booleans()):
            ledger = tuple(
                {each.key: Entry(each.key, each.test, each.scenarios, each.outcome) for each in attempts}.values()
            )
        facts = LAB if not draw(st.integers(0, 6)) else FACTS
        found.append(Run(Path(f"run-{number}"), facts, tuple(attempts), ledger, (), "0"))
    return tuple(found)


@st.composite
def approvals(draw):
    """Agreements to some scenarios, decisions of some people; nobody rejects."""
    names = draw(st.lists(st.sampled_from(SCENARIOS), unique=True))
    signed = {"name": "PM One", "date": "2031-03-04"}
    return Approvals(
        approvals=(Approval(role="QE Lead", decision=Decision.APPROVED, **signed),) if draw(st.booleans()) else (),
        agreements=tuple(Agreement(scenario=name, issue="CNV-00070", **signed) for name in names),
        automation=Automation(merged="https://git.example.com/1" if draw(st.booleans()) else ""),
        documentation=Documentation(reviewed="https://docs.example.com/1" if draw(st.booleans()) else ""),
    )


def rank(found, agreed, phase):
    """How good the verdict is: 0 not ready, 1 with exceptions, 2 ready."""
    made = dossier(PLANNED, revision(TEXT), phase, found, agreed, findings=FINDINGS, allow_lab=True)
    return ORDER.index(judge(made).readiness)


phases = st.sampled_from([Phase.TP, Phase.GA])
checked = settings(max_examples=60, derandomize=True)


@checked
@given(runs(), approvals(), phases, st.sampled_from([*SCENARIOS, "GROW-99"]), st.sampled_from(FAILURES), st.data())
def test_adding_a_failure(found, agreed, phase, scenario, outcome, data):
    feature = data.draw(st.sampled_from([TITLE, TITLE, "Another plan"]))
    number = data.draw(st.integers(0, len(found) - 1))
    worse = replace(found[number], attempts=(*found[number].attempts, attempt(scenario, outcome, 7, feature)))
    changed = (*found[:number], worse, *found[number + 1 :])
    assert rank(changed, agreed, phase) <= rank(found, agreed, phase)


@checked
@given(runs(), approvals(), phases, st.data())
def test_turning_a_pass_into_a_failure(found, agreed, phase, data):
    places = [
        (n, i) for n, run in enumerate(found) for i, each in enumerate(run.attempts) if each.outcome is Outcome.PASSED
    ]
    if not places:
        return
    number, index = data.draw(st.sampled_from(places))
    attempts = list(found[number].attempts)
    attempts[index] = replace(attempts[index], outcome=data.draw(st.sampled_from(FAILURES)))
    changed = (*found[:number], replace(found[number], attempts=tuple(attempts)), *found[number + 1 :])
    assert rank(changed, agreed, phase) <= rank(found, agreed, phase)


@checked
@given(runs(), approvals(), phases, st.data())
def test_taking_away_a_result(found, agreed, phase, data):
    """A passed one of any run; any one of a run that lists what it ran, so that a failure cannot be dropped either."""
    places = [
        (number, index)
        for number, run in enumerate(found)
        for index, each in enumerate(run.attempts)
        if each.scenarios[0] in SCENARIOS and (each.outcome is Outcome.PASSED or run.ledger is not None)
    ]
    if not places:
        return
    number, index = data.draw(st.sampled_from(places))
    attempts = found[number].attempts
    fewer = replace(found[number], attempts=attempts[:index] + attempts[index + 1 :])
    changed = (*found[:number], fewer, *found[number + 1 :])
    assert rank(changed, agreed, phase) <= rank(found, agreed, phase)


@checked
@given(runs(), approvals(), phases, st.data())
def test_taking_away_an_approval(found, agreed, phase, data):
    part = data.draw(st.sampled_from(["approvals", "agreements", "automation", "documentation"]))
    if part in ("approvals", "agreements"):
        entries = getattr(agreed, part)
        if not entries:
            return
        dropped = data.draw(st.integers(0, len(entries) - 1))
        fewer = {part: entries[:dropped] + entries[dropped + 1 :]}
    else:
        fewer = {part: type(getattr(agreed, part))()}
    assert rank(found, agreed.model_copy(update=fewer), phase) <= rank(found, agreed, phase)


def test_the_verdicts_differ():
    """The properties above are not vacuous: all three verdicts occur."""
    green = Run(Path("run"), FACTS, tuple(attempt(key, Outcome.PASSED) for key in SCENARIOS), None, (), "0")
    signed = {"name": "PM One", "date": "2031-03-04"}
    agreed = Approvals(agreements=(Agreement(scenario="GROW-03", issue="CNV-00070", **signed),))
    partly = replace(green, attempts=tuple(each for each in green.attempts if each.scenarios != ("GROW-03",)))
    assert rank((green,), Approvals(), Phase.TP) == 2
    assert rank((partly,), agreed, Phase.TP) == 1
    assert rank((partly,), Approvals(), Phase.TP) == 0
