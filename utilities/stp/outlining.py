"""A plan outlined as the parser understood it, for authors who wonder why a rule speaks up."""

from collections.abc import Iterator
from textwrap import fill

from utilities.stp.blocks import Box
from utilities.stp.plan import ChecklistItem, Limitations, Plan, Signatories
from utilities.stp.signing import SignOff
from utilities.stp.vocabulary import APPROVERS, REVIEWERS

_WIDTH = 100


def outline(plan: Plan) -> str:
    """The whole plan as lines of `number  text`; the number is the source line."""
    parts = (_metadata, _review, _limitations, _design, _scope, _strategy, _environment, _risks, _scenarios, _approval)
    lines = [f"{plan.title or '(no title)'}  [{plan.path}]"]
    for part in parts:
        lines += part(plan)
    return "".join(f"{line}\n" for line in lines)


def _line(number: int, depth: int, text: str) -> str:
    indentation = "  " * depth
    return fill(text, _WIDTH, initial_indent=f"{number:5}  {indentation}", subsequent_indent=f"{' ' * 9}{indentation}")


def _metadata(plan: Plan) -> Iterator[str]:
    if plan.metadata is None:
        return
    yield _line(plan.metadata.line, 0, "Metadata")
    for field in plan.metadata.fields:
        yield _line(field.line, 1, f"{field.name}: {field.value.flat}")
        if field.name == "Feature Maturity":
            yield from (_line(phase.line, 2, f"{phase.name}: {phase.version.flat}") for phase in plan.metadata.phases)
        else:
            yield from (_line(item.line, 2, item.content.flat) for item in field.items)
    yield from (_line(term.line, 1, f"term {term.name} = {term.definition}") for term in plan.metadata.terms)
    if plan.overview:
        yield _line(plan.overview.line, 0, f"Overview: {plan.overview.flat}")


def _checklist(items: tuple[ChecklistItem, ...]) -> Iterator[str]:
    for item in items:
        yield _line(item.line, 1, f"{_box(item.box)}{item.title}")
        for answer in item.answers:
            label = f"{answer.label}: " if answer.label else ""
            yield _line(answer.line, 2, f"{label}{answer.text.flat}")
            yield from (_line(each.line, 3, each.content.flat) for each in answer.items)


def _review(plan: Plan) -> Iterator[str]:
    if plan.review_items:
        yield _line(plan.review_items[0].line, 0, "Requirements review")
        yield from _checklist(plan.review_items)


def _design(plan: Plan) -> Iterator[str]:
    if plan.design_items:
        yield _line(plan.design_items[0].line, 0, "Design review")
        yield from _checklist(plan.design_items)


def _limitations(plan: Plan) -> Iterator[str]:
    if plan.limitations is not None:
        yield from _limited("Known limitations", 0, plan.limitations)


def _limited(title: str, depth: int, limitations: Limitations) -> Iterator[str]:
    yield _line(limitations.line, depth, title)
    for item in limitations.items:
        yield _line(item.line, depth + 1, f"{item.text.flat} {_signature(item.sign_off)}")
    if limitations.nothing is not None:
        yield _line(limitations.nothing.line, depth + 1, limitations.nothing.text.flat)


def _scope(plan: Plan) -> Iterator[str]:
    scope = plan.scope
    if scope is None:
        return
    yield _line(scope.line, 0, "Scope")
    for goal in scope.goals:
        marks = [goal.priority or "no priority", *(["negative"] if goal.negative else [])]
        marks += ["regression"] if goal.regression else []
        yield _line(goal.line, 1, f"goal ({', '.join(marks)}): {goal.text.flat}")
    if scope.out_of_scope is not None:
        yield _line(scope.out_of_scope.line, 1, "Out of scope")
        for item in scope.out_of_scope.items:
            reason = item.rationale.flat if item.rationale else "no rationale"
            yield _line(item.line, 2, f"{item.text.flat}: {reason} {_signature(item.agreement)}")
        if scope.out_of_scope.nothing is not None:
            yield _line(scope.out_of_scope.nothing.line, 2, scope.out_of_scope.nothing.text.flat)
    if scope.test_limitations is not None:
        yield from _limited("Test limitations", 1, scope.test_limitations)


def _strategy(plan: Plan) -> Iterator[str]:
    if plan.strategy:
        yield _line(plan.strategy[0].line, 0, "Strategy")
    for item in plan.strategy:
        yield _line(item.line, 1, f"{_box(item.box)}{' and '.join(item.types) or item.written}: {item.details.flat}")


def _environment(plan: Plan) -> Iterator[str]:
    for title, fields in (("Environment", plan.environment), ("Tools", plan.tools)):
        if fields:
            yield _line(fields[0].line, 0, title)
        yield from (_line(field.line, 1, f"{field.name}: {field.content.flat}") for field in fields)
    if plan.entry:
        yield _line(plan.entry[0].line, 0, "Entry criteria")
    yield from (_line(entry.line, 1, f"{_box(entry.box)}{entry.text.flat}") for entry in plan.entry)


def _risks(plan: Plan) -> Iterator[str]:
    if plan.risks:
        yield _line(plan.risks[0].line, 0, "Risks")
    for category in plan.risks:
        yield _line(category.line, 1, category.name)
        for risk in category.risks:
            yield _line(risk.line, 2, f"risk: {risk.text.flat if risk.text else '-'} {_signature(risk.sign_off)}")
            yield _line(risk.mitigation_line, 2, f"mitigation: {risk.mitigation.flat if risk.mitigation else '-'}")
            if risk.supplement is not None:
                yield _line(risk.supplement.line, 2, f"{risk.supplement.label}: {risk.supplement.content.flat}")


def _scenarios(plan: Plan) -> Iterator[str]:
    if plan.requirements:
        yield _line(plan.requirements[0].line, 0, "Scenarios")
    for requirement in plan.requirements:
        yield _line(requirement.line, 1, f"{requirement.id or 'no id'}: {requirement.summary.flat}")
        for scenario in requirement.scenarios:
            tier = f"Tier {scenario.tier}" if scenario.tier else "no tier"
            negative = ", negative" if scenario.negative else ""
            head = f"{scenario.key} ({tier}, {scenario.priority or 'no priority'}{negative})"
            yield _line(scenario.line, 2, f"{head}: {scenario.text}")
            exclusion = scenario.exclusion
            if exclusion is not None:
                signed = f"{exclusion.name} / {exclusion.date}" if exclusion.signed else "unsigned"
                reason = exclusion.reason or "no reason"
                yield _line(exclusion.line, 3, f"not automated: {reason}, {exclusion.issue or 'no issue'}, {signed}")


def _approval(plan: Plan) -> Iterator[str]:
    if plan.approval is None:
        return
    yield _line(plan.approval.line, 0, "Approval")
    for title, signatories in ((REVIEWERS, plan.approval.reviewers), (APPROVERS, plan.approval.approvers)):
        if signatories is not None:
            yield from _people(title, signatories)


def _people(title: str, signatories: Signatories) -> Iterator[str]:
    yield _line(signatories.line, 1, f"{title} (roles: {', '.join(signatories.roles) or 'none'})")
    for person in signatories.people:
        shown = " ".join((person.name or "no name", *person.handles, person.mail)).strip()
        yield _line(person.line, 2, f"{person.role}: {shown}" if person.role else shown)


def _box(box: Box) -> str:
    return {Box.MARKED: "[x] ", Box.OPEN: "[ ] ", Box.MALFORMED: "[?] ", Box.ABSENT: ""}[box]


def _signature(sign_off: SignOff | None) -> str:
    if sign_off is None:
        return "(no sign-off line)"
    if sign_off.open:
        return "(unsigned)"
    return f"({sign_off.name or 'no name'} / {sign_off.date or 'no date'})"
