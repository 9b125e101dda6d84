"""Linting: every rule over a plan, silences applied, in order of line and id."""

from collections.abc import Iterable
from dataclasses import dataclass

from utilities.stp.finding import Finding
from utilities.stp.parsing import find_plans, load_plan
from utilities.stp.plan import Plan
from utilities.stp.rule import Rule
from utilities.stp.rules import RULES, Subject
from utilities.stp.rules.family import PARENT
from utilities.stp.silencing import SILENCE_RULES, Silence, about_tests, silenced, silences_in


@dataclass(frozen=True, slots=True)
class Judgement:
    """What linting a plan gave: its findings, and those that a comment with a reason silences."""

    findings: tuple[Finding, ...]
    silenced: tuple[tuple[Finding, Silence], ...]


def lint(subject: Subject, rules: Iterable[Rule[Subject]] = RULES) -> tuple[Finding, ...]:
    """The findings of one plan.  A silenced finding is left out; a silence that does nothing is a finding itself."""
    return judge(subject, rules).findings


def judge(subject: Subject, rules: Iterable[Rule[Subject]] = RULES) -> Judgement:
    """The findings of one plan, and what was silenced.  Silences of trace findings are left to the trace."""
    path = str(subject.plan.path)
    silences = [each for each in silences_in(subject.plan.source) if not about_tests(each.id)]
    found: set[Finding] = set()
    quiet: dict[Finding, Silence] = {}
    for rule in rules:
        for finding in rule.findings(subject, path):
            silence = None if finding.open else silenced(silences, finding.id, finding.line)
            if silence is None:
                found.add(finding)
            else:
                quiet[finding] = silence
    idle = [each for each in silences if each not in quiet.values()]
    found.update(finding for rule in SILENCE_RULES for each in idle for finding in rule.findings(each, path))
    in_order = sorted(found, key=lambda finding: finding.place)
    return Judgement(tuple(in_order), tuple(sorted(quiet.items(), key=lambda pair: pair[0].place)))


def subject_of(plan: Plan, *, fragment: bool = False) -> Subject:
    """A plan with what its folder says about it: a child beside a parent, a parent above its children."""
    folder = plan.path.parent
    if plan.path.name == PARENT:
        names = tuple(sorted(path.name for path in find_plans(folder) if path.parent == folder))
        return Subject(plan, fragment, children=tuple(name for name in names if name != PARENT))
    if (folder / PARENT).is_file():
        return Subject(plan, fragment, child=True, parent=load_plan(folder / PARENT))
    return Subject(plan, fragment)
