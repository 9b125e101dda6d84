"""Testing goals (II.1): priority, order, outcome, dimensions."""

import re
from collections.abc import Iterator, Mapping

from utilities.stp.finding import Severity
from utilities.stp.plan import Goal, Plan
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.values import has_placeholder

_VAGUE = re.compile(
    r"^(?:verify (?:that )?)?.{0,60}\b(?:works?|functions?|is (?:ok|fine|supported))"
    r"(?: (?:correctly|properly|fine|well|as expected))?\W*$|\bsig-\w+ t\d\b|\ball features\b",
    re.IGNORECASE,
)
_TEAM = re.compile(r"\bsig-\w+")
_FEWEST_WORDS = 4
_REGRESSION = re.compile(
    r"\bregressions?\b|\bexisting\b.{0,40}\b(?:still|again|tests?|suites?|features?)\b|\bsuites?\b", re.IGNORECASE
)
_NEGATIVE = re.compile(
    r"\b(?:refus\w+|reject\w+|fail\w*|block\w*|cannot|can not|forbid\w*|denied|insufficient|absen\w+|exceed\w*|beyond"
    r"|unavailable|abort\w*|without a|no free|attempt\w*|non-\w+able"
    r"|not (?:be )?(?:possible|allowed|(?:live-)?migratable))\b",
    re.IGNORECASE,
)


def _all(flags: Mapping[str, str]) -> Mapping[str, re.Pattern[str]]:
    """Patterns for texts in lower case: looking through both cases of every letter takes twice as long."""
    return {name: re.compile(pattern.lower()) for name, pattern in flags.items()}


_GPU = re.compile(r"\b(?:v?gpus?|mdevs?)\b", re.IGNORECASE)
_GPU_DIMENSIONS = _all(
    {
        "gate": r"\bgates?\b",
        "policy": r"\bpolic\w+|\bAWD\b|\bdisruption\b",
        "GPU model": r"\bmodels?\b|\bT4\b|\bA\d{1,3}\b|\bL\d{1,2}S?\b|\bNVIDIA \w+",
        "mdev type": r"\bmdev\b|\btypes?\b|\bprofiles?\b|\bwhole\b|\bpassthrough\b",
        "guest": r"\b(?:RHEL|Fedora|CentOS|Windows|Linux|Ubuntu)\b",
        "driver": r"\bdrivers?\b",
        "capacity": r"\bfree\b|\bcapacity\b|\bin use\b|\bavailable\b",
    }
)
_NETWORK = re.compile(r"\b(?:networks?|bindings?|connections?|tcp|udp|traffic|ping)\b", re.IGNORECASE)
_NETWORK_DIMENSIONS = _all(
    {
        "binding": r"\b(?:masquerade|bridge|sr-?iov|passt|macvtap|l2bridge|UDN)\b",
        "network": r"\b(?:OVN|Multus|Linux bridge|UDN|localnet|primary network|secondary network|pod network)\b",
    }
)
_STORAGE = re.compile(r"\b(?:disks?|volumes?|pvcs?)\b", re.IGNORECASE)
_STORAGE_DIMENSIONS = _all(
    {
        "volume mode": r"\b(?:block|file(?:system)?)\b",
        "access mode or class": r"\bRW[XO]\b|\bstorage ?class\b|\b(?:ceph|nfs|hostpath|odf|ocs)\b",
    }
)


@rule("goal-no-priority", Severity.HIGH)
def goal_no_priority(subject: Subject) -> Iterator[Hit]:
    """A goal has no priority P0, P1 or P2 in front.

    Why: the priority decides what blocks a release.
    Bad: `- Verify that …`
    Good: `- **[P1]** Verify that …`
    """
    for goal in _goals(subject.plan):
        if goal.priority is None:
            shown = f"[{goal.marks[0]}] is no priority" if goal.marks else "the goal has no priority"
            yield Hit(goal.line, shown, "begin it with **[P0]**, **[P1]** or **[P2]**")


@rule("goal-order", Severity.MEDIUM)
def goal_order(subject: Subject) -> Iterator[Hit]:
    """A goal is more urgent than one before it in the same list.

    Why: a reader stops where the list stops being important.
    Bad: a P2 goal above a P1 goal
    Good: P0 first, P2 last
    """
    lowest: dict[bool, str] = {}
    for goal in _goals(subject.plan):
        if goal.priority is None:
            continue
        before = lowest.get(goal.regression, "P0")
        if goal.priority < before:
            yield Hit(goal.line, f"a {goal.priority} goal below a {before} goal", "sort goals by priority")
        lowest[goal.regression] = max(before, goal.priority)


@rule("goal-vague", Severity.HIGH, Kind.HEURISTIC)
def goal_vague(subject: Subject) -> Iterator[Hit]:
    """A goal names no outcome that can be observed.

    Why: nobody can tell whether it was reached.
    Bad: `Hotplug works`
    Good: `The guest sees the disk within 60 s`
    """
    for goal in _feature_goals(subject.plan):
        flat = goal.text.flat
        match = _VAGUE.search(flat)
        if match or len(flat.split()) < _FEWEST_WORDS:
            yield Hit(
                goal.line,
                "the goal names no observable outcome",
                "say what is seen, under which condition",
                matched=(flat[:60],),
            )


@rule("goal-dimension-missing", Severity.HIGH, Kind.HEURISTIC)
def goal_dimension_missing(subject: Subject) -> Iterator[Hit]:
    """A goal leaves out a dimension its test needs, judged by the words it speaks of GPUs, networks or volumes with.

    What stands only in the test environment does not help.

    Why: the same goal holds in one environment and fails in another.
    Bad: `A VM with a vGPU moves to another GPU node`
    Good: the same with gate, policy, GPU model, mdev type, guest, driver and free vGPUs
    """
    for goal in _feature_goals(subject.plan):
        flat = _TEAM.sub("", goal.text.flat)
        for topic, dimensions in (
            (_GPU, _GPU_DIMENSIONS),
            (_NETWORK, _NETWORK_DIMENSIONS),
            (_STORAGE, _STORAGE_DIMENSIONS),
        ):
            match = topic.search(flat)
            if match is None:
                continue
            lowered = flat.lower()
            missing = [name for name, pattern in dimensions.items() if not pattern.search(lowered)]
            if missing:
                yield Hit(
                    goal.line, f"the goal leaves out {', '.join(missing)}", "name them in the goal", matched=(match[0],)
                )
                break


@rule("goal-regression-mixed", Severity.HIGH, Kind.HEURISTIC)
def goal_regression_mixed(subject: Subject) -> Iterator[Hit]:
    """Regression stands among the goals of the new feature.

    Why: existing suites own regression; among the goals it hides what is new.
    Bad: `- **[P1]** Existing disks still work`
    Good: the suite under Regression Goals or in II.2
    """
    for goal in _feature_goals(subject.plan):
        match = _REGRESSION.search(goal.text.flat)
        if match:
            yield Hit(
                goal.line,
                "regression among the feature's goals",
                "move it to Regression Goals or II.2",
                matched=(match[0],),
            )


@rule("goal-no-negative", Severity.MEDIUM, Kind.HEURISTIC)
def goal_no_negative(subject: Subject) -> Iterator[Hit]:
    """No goal is about refusal, failure, absence or a limit.

    Why: a feature is also trusted for what it refuses.
    Bad: only goals that succeed
    Good: `- **[P1] [Negative]** Growth beyond the free space is refused and the VM keeps running`
    """
    scope = subject.plan.scope
    goals = list(_feature_goals(subject.plan))
    if (
        scope
        and scope.goals_line
        and goals
        and not any(goal.negative or _NEGATIVE.search(goal.text.flat) for goal in goals)
    ):
        yield Hit(scope.goals_line, "no goal is negative", "add what must be refused or must fail cleanly")


def _goals(plan: Plan) -> Iterator[Goal]:
    yield from (goal for goal in (plan.scope.goals if plan.scope else ()) if not has_placeholder(goal.text))


def _feature_goals(plan: Plan) -> Iterator[Goal]:
    yield from (goal for goal in _goals(plan) if not goal.regression)
