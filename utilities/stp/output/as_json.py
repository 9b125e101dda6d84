"""For scripts: one object.

`{"status": 0, "plans": 1, "counts": {"HIGH": 2, "open": 1}, "findings": [{"id", "severity", "open", "path", "line",
"what", "todo", "matched"}], "silenced": [the same with "reason" and "silenced_in"], "unreadable": [{"path", "message",
"todo"}]}`; `status` is the exit status, `silenced_in` the line of the comment.
"""

import json
from dataclasses import asdict
from typing import Any

from utilities.stp.finding import Finding
from utilities.stp.output.report import Report


def as_json(report: Report) -> str:
    """The object, indented by two."""
    document = {
        "status": report.status,
        "plans": report.plans,
        "counts": report.counts,
        "findings": [_object(finding) for finding in report.findings],
        "silenced": [
            {**_object(finding), "reason": silence.reason, "silenced_in": silence.line}
            for finding, silence in report.silenced
        ],
        "unreadable": [asdict(each) for each in report.unreadable],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _object(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "severity": finding.severity.name,
        "open": finding.open,
        "path": finding.path,
        "line": finding.line,
        "what": finding.what,
        "todo": finding.todo,
        "matched": list(finding.matched),
    }
