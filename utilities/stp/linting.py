"""Linting: every rule over a plan, silences applied, in order of line and id."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from utilities.stp.finding import Finding, Severity
from utilities.stp.parsing import find_plans, load_plan
from utilities.stp.plan import Plan
from utilities.stp.rules import RULES, Hit, Rule, Subject
from utilities.stp.rules.family import PARENT
from utilities.stp.silencing import Silence, silenced, silences_in


def lint(subject: Subject, rules: Iterable[Rule] = RULES) -> tuple[Finding, ...]:
    """The findings of one plan.  A silenced finding is left out; a silence that does nothing is a finding itself."""
    path = str(subject.plan.path)
    silences = silences_in(subject.plan.source)
    used: set[Silence] = set()
    found: list[Finding] = []
    for rule in rules:
        for hit in rule.check(subject):
            silence = silenced(silences, rule.id, hit.line)
            if silence is not None and not hit.open:
                used.add(silence)
            else:
                found.append(_finding(rule.id, rule.severity, path, hit))
    found += (
        _finding("silence-no-reason" if not each.reason else "silence-unused", severity, path, hit)
        for each in silences
        if each not in used
        for severity, hit in (_idle(each),)
    )
    return tuple(sorted(set(found), key=lambda finding: finding.place))


def lint_paths(paths: Iterable[Path], *, fragment: bool = False) -> Iterator[tuple[Plan, tuple[Finding, ...]]]:
    """(plan, findings) of every plan below the paths.  Raises StpError when one cannot be read."""
    for path in paths:
        for file in find_plans(path):
            subject = subject_of(load_plan(file), fragment=fragment)
            yield subject.plan, lint(subject)


def subject_of(plan: Plan, *, fragment: bool = False) -> Subject:
    """A plan with what its folder says about it: a child beside a parent, a parent above its children."""
    folder = plan.path.parent
    if plan.path.name == PARENT:
        names = tuple(sorted(path.name for path in find_plans(folder) if path.parent == folder))
        return Subject(plan, fragment, children=tuple(name for name in names if name != PARENT))
    if (folder / PARENT).is_file():
        return Subject(plan, fragment, child=True, parent=load_plan(folder / PARENT))
    return Subject(plan, fragment)


def _idle(silence: Silence) -> tuple[Severity, Hit]:
    if not silence.reason:
        return Severity.HIGH, Hit(
            silence.line, f"{silence.id} is silenced without a reason", "write the reason behind the id"
        )
    return Severity.LOW, Hit(silence.line, f"nothing here to silence with {silence.id}", "delete the comment")


def _finding(name: str, severity: Severity, path: str, hit: Hit) -> Finding:
    return replace(Finding(name, severity, path, hit.line, hit.what, hit.todo), matched=hit.matched, open=hit.open)
