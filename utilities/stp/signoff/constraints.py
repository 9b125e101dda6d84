"""What a plan asks people to accept: limitations, exclusions, risks; each with its signature.  Source: sheet §7, 8."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from utilities.stp.plan import Limitations, Plan, Risk
from utilities.stp.signing import SignOff
from utilities.stp.signoff.standings import Standing
from utilities.stp.values import has_placeholder, is_empty, is_na

_DONE = re.compile(r"\[[xX]\]")


class Kind(Enum):
    """What is to be accepted; the value is (one of it, many of it)."""

    LIMITATION = ("Known limitation", "known limitations")
    OUT_OF_SCOPE = ("Out of scope", "items out of scope")
    TEST_LIMITATION = ("Test limitation", "test limitations")
    RISK = ("Risk", "risks")
    EXCLUSION = ("Exclusion", "exclusions of scenarios")
    OTHER = ("Other signature", "other signatures")

    @property
    def one(self) -> str:
        """One of it."""
        return self.value[0]

    @property
    def many(self) -> str:
        """Many of it."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Constraint:
    """Something to accept; signature: as written, "" when there is none; lines: where item and signature stand."""

    kind: Kind
    text: str
    signature: str
    signed: bool
    lines: frozenset[int]

    @property
    def line(self) -> int:
        """Where it stands in the plan."""
        return min(self.lines)


def constraints(plan: Plan, standings: Sequence[Standing]) -> tuple[Constraint, ...]:
    """Everything to accept, in the order of the report."""
    found = [
        *_limitations(Kind.LIMITATION, plan.limitations),
        *_out_of_scope(plan),
        *_limitations(Kind.TEST_LIMITATION, plan.scope.test_limitations if plan.scope else None),
        *_risks(plan),
        *_exclusions(standings),
    ]
    seen = {line for constraint in found for line in constraint.lines}
    others = (each for each in plan.sign_offs if each.line not in seen)
    return (*found, *(_signed(Kind.OTHER, each.label or "Sign-off", each.line, each) for each in others))


def _limitations(kind: Kind, limitations: Limitations | None) -> Iterator[Constraint]:
    for item in limitations.items if limitations else ():
        yield _signed(kind, item.text.flat, item.line, item.sign_off)


def _out_of_scope(plan: Plan) -> Iterator[Constraint]:
    out_of_scope = plan.scope.out_of_scope if plan.scope else None
    for item in out_of_scope.items if out_of_scope else ():
        yield _signed(Kind.OUT_OF_SCOPE, item.text.flat, item.line, item.agreement)


def _risks(plan: Plan) -> Iterator[Constraint]:
    """Real risks; in the old table the status stands in for a signature."""
    for category in plan.risks:
        for risk in category.risks:
            if not _is_real(risk):
                continue
            text = f"{category.name}: {risk.text.flat if risk.text else ''}"
            if risk.sign_off is None and risk.status is not None:
                done = _DONE.search(risk.status) is not None
                yield Constraint(Kind.RISK, text, risk.status, done, frozenset({risk.line}))
            else:
                yield _signed(Kind.RISK, text, risk.line, risk.sign_off)


def _is_real(risk: Risk) -> bool:
    return risk.text is not None and (has_placeholder(risk.text) or not (is_empty(risk.text) or is_na(risk.text)))


def _exclusions(standings: Sequence[Standing]) -> Iterator[Constraint]:
    """Scenarios that the plan excludes; the approvals file may sign in its place."""
    for standing in standings:
        exclusion = standing.scenario.exclusion
        if exclusion is None:
            continue
        agreed = standing.agreed
        signature = f"{agreed.name} / {agreed.date} ({agreed.issue})" if agreed else ""
        signed = agreed is not None or bool(exclusion.signed and exclusion.issue)
        if not agreed and exclusion.signed:
            signature = f"{exclusion.name} / {exclusion.date}"
        text = f"{standing.key} is not automated: {exclusion.reason or 'no reason given'}"
        yield Constraint(Kind.EXCLUSION, text, signature, signed, frozenset({exclusion.line}))


def _signed(kind: Kind, text: str, line: int, sign_off: SignOff | None) -> Constraint:
    if sign_off is None:
        return Constraint(kind, text, "", False, frozenset({line}))
    value = sign_off.value if not sign_off.open else ""
    return Constraint(kind, text, value, sign_off.complete, frozenset({line, sign_off.line}))
