"""Everything a sign-off is judged and written from: one value, made from plan, results, findings and approvals."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from utilities.stp.finding import Finding
from utilities.stp.plan import Plan
from utilities.stp.signoff.approvals import Approvals
from utilities.stp.signoff.constraints import Constraint, constraints
from utilities.stp.signoff.proofs import Proof, proofs
from utilities.stp.signoff.results import Attempt, Run, attempts_of
from utilities.stp.signoff.standings import Standing, of_plan, standings
from utilities.stp.traceability import Claim


class Phase(StrEnum):
    """The phase that is to be signed off."""

    DP = "DP"
    TP = "TP"
    GA = "GA"

    @property
    def words(self) -> str:
        """In words."""
        return {"DP": "Dev Preview", "TP": "Tech Preview", "GA": "General Availability"}[self.value]


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is known.  revision: SHA-256 of the plan file; allow_lab: a verdict on lab results is wanted."""

    plan: Plan
    revision: str
    phase: Phase
    runs: tuple[Run, ...]
    standings: tuple[Standing, ...]
    proofs: tuple[Proof, ...]
    constraints: tuple[Constraint, ...]
    findings: tuple[Finding, ...]
    approvals: Approvals
    allow_lab: bool
    tests_read: bool

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All results of all runs."""
        return attempts_of(self.runs)

    @property
    def others(self) -> tuple[Attempt, ...]:
        """Results of other plans that were run together with this one; they prove nothing here."""
        return tuple(attempt for attempt in self.attempts if not of_plan(attempt, self.plan))

    @property
    def lab_runs(self) -> tuple[Run, ...]:
        """Runs on the embedded lab, or on nobody knows what."""
        return tuple(run for run in self.runs if run.facts.on_lab is not False)

    @property
    def times(self) -> tuple[str, str]:
        """(first start, last end) in UTC; "" when nothing was recorded."""
        started = [attempt.started for attempt in self.attempts if attempt.started > 0]
        ended = [attempt.ended for attempt in self.attempts if attempt.ended > 0]
        return (_stamp(min(started)) if started else "", _stamp(max(ended)) if ended else "")

    @property
    def checksum(self) -> str:
        """SHA-256 of what approvers are asked about: all of it, except their own decisions."""
        asked = {
            "plan": self.revision,
            "phase": self.phase.value,
            "lab": self.allow_lab,
            "results": sorted(run.digest for run in self.runs),
            "standings": [[standing.key, standing.outcome.value] for standing in self.standings],
            "findings": [[finding.id, finding.line] for finding in self.findings],
            "agreed": self.approvals.model_dump(mode="json", exclude={"approvals"}),
        }
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def dossier(
    plan: Plan,
    revision: str,
    phase: Phase,
    runs: Sequence[Run],
    approvals: Approvals,
    *,
    findings: Iterable[Finding] = (),
    claims: Sequence[Claim] | None = None,
    allow_lab: bool = False,
) -> Dossier:
    """Put everything together.  claims: of the tests' source, None when it is not at hand."""
    stand = standings(plan, runs, approvals, claims or ())
    return Dossier(
        plan=plan,
        revision=revision,
        phase=phase,
        runs=tuple(runs),
        standings=stand,
        proofs=proofs(plan, stand, approvals),
        constraints=constraints(plan, stand),
        findings=tuple(findings),
        approvals=approvals,
        allow_lab=allow_lab,
        tests_read=claims is not None,
    )


def _stamp(milliseconds: int) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return ""
