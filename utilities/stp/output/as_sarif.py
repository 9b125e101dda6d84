"""For code scanning: SARIF 2.1.0 (OASIS standard, errata 01).

CRITICAL and HIGH are errors, MEDIUM warnings, LOW notes.  An unsigned item is a result of kind `review`, which has no
level: a person has to decide.  A silenced finding stays, suppressed in source with its reason.
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from utilities.stp.catalogue import RULES_BY_ID
from utilities.stp.finding import Finding, Severity
from utilities.stp.output.report import Report, sentence
from utilities.stp.rule import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
}

_Object = dict[str, Any]


def as_sarif(report: Report) -> str:
    """One log with one run; the rules that found something are described in it."""
    silenced = dict(report.silenced)
    shown = sorted((*report.findings, *silenced), key=lambda finding: finding.place)
    indexes = {name: number for number, name in enumerate(sorted({finding.id for finding in shown}))}
    results = [_result(finding, indexes[finding.id]) for finding in shown]
    for finding, result in zip(shown, results, strict=True):
        if finding in silenced:
            result["suppressions"] = [{"kind": "inSource", "justification": silenced[finding].reason}]
    run = {
        "tool": {"driver": {"name": "stp", "rules": [_rule(RULES_BY_ID[name]) for name in indexes]}},
        "invocations": [
            {
                "executionSuccessful": not report.unreadable,
                "exitCode": report.status,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": f"{each.message}\nNext: {each.todo}"},
                        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(each.path)}}}],
                    }
                    for each in report.unreadable
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _result(finding: Finding, index: int) -> _Object:
    grade = {"kind": "review", "level": "none"} if finding.open else {"level": _LEVELS[finding.severity]}
    place = {"artifactLocation": {"uri": _uri(finding.path)}, "region": {"startLine": finding.line}}
    return {
        "ruleId": finding.id,
        "ruleIndex": index,
        **grade,
        "message": {"text": sentence(finding)},
        "locations": [{"physicalLocation": place}],
        "properties": {"severity": finding.severity.name},
    }


def _rule(rule: Rule[Any]) -> _Object:
    told = rule.explanation
    first, _, _ = told.what.partition("\n\n")
    return {
        "id": rule.id,
        "shortDescription": {"text": " ".join(first.split())},
        "help": {
            "text": f"{told.what}\n\nWhy: {told.why}\nBad: {told.bad}\nGood: {told.good}",
            "markdown": f"{told.what}\n\n**Why:** {told.why}\n\n- **Bad:** {told.bad}\n- **Good:** {told.good}",
        },
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"severity": rule.severity.name, "tags": [rule.kind.value]},
    }


def _uri(path: str) -> str:
    """A URI reference: relative to the repository as given, or a file URI for an absolute path."""
    given = Path(path)
    return given.as_uri() if given.is_absolute() else quote(given.as_posix())
