"""A sign-off as JSON, for whatever comes after it."""

import json
from typing import Any

from utilities.stp.signoff.deviations import deviations
from utilities.stp.signoff.dossier import Dossier
from utilities.stp.signoff.gate import Verdict
from utilities.stp.signoff.results import Run
from utilities.stp.signoff.standings import Standing


def as_json(dossier: Dossier, verdict: Verdict) -> str:
    """Everything the page shows, as one object; keys are stable, lists are in the page's order."""
    first, last = dossier.times
    content: dict[str, Any] = {
        "verdict": {
            "readiness": verdict.readiness.value,
            "phase": verdict.phase.value,
            "lab_only": verdict.lab_only,
            "line": verdict.line,
            "reasons": [
                {"about": each.weight.name.lower(), "what": each.what, "todo": each.todo} for each in verdict.reasons
            ],
            "exceptions": list(verdict.exceptions),
        },
        "checksum": f"sha256:{dossier.checksum}",
        "plan": {
            "title": dossier.plan.title,
            "path": dossier.plan.path.as_posix(),
            "revision": f"sha256:{dossier.revision}",
        },
        "started": first,
        "ended": last,
        "runs": [_run(run) for run in dossier.runs],
        "scenarios": [_standing(each) for each in dossier.standings],
        "proofs": [
            {
                "kind": each.kind.value,
                "label": each.label,
                "text": each.text,
                "line": each.line,
                "state": each.state.value,
                "scenarios": list(each.scenarios),
                "named": each.named,
            }
            for each in dossier.proofs
        ],
        "constraints": [
            {
                "kind": each.kind.one,
                "text": each.text,
                "signed": each.signed,
                "signature": each.signature,
                "line": each.line,
            }
            for each in dossier.constraints
        ],
        "findings": [
            {"id": each.id, "severity": each.severity.name, "line": each.line, "what": each.what, "open": each.open}
            for each in dossier.findings
        ],
        "deviations": list(deviations(dossier)),
        "approvals": dossier.approvals.model_dump(mode="json"),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _run(run: Run) -> dict[str, Any]:
    return {
        "folder": run.folder.as_posix(),
        "results": len(run.attempts),
        "checksum": f"sha256:{run.digest}",
        "on_lab": run.facts.on_lab,
        "facts": dict(run.facts.written),
        "troubles": list(run.troubles),
    }


def _standing(standing: Standing) -> dict[str, Any]:
    agreed = standing.agreed
    return {
        "id": standing.key,
        "requirement": standing.scenario.requirement,
        "priority": standing.scenario.priority,
        "tier": standing.scenario.tier,
        "text": standing.scenario.text,
        "outcome": standing.outcome.value,
        "message": "" if standing.passed else standing.message,
        "tests": {test: [attempt.outcome.value for attempt in each] for test, each in standing.tests.items()},
        "absent": [{"test": each.test, "outcome": each.outcome.value, "why": each.why} for each in standing.absent],
        "agreement": None if agreed is None else {"issue": agreed.issue, "name": agreed.name, "date": agreed.date},
    }
