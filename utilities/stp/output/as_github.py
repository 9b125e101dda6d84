"""For a GitHub workflow: one command a finding, which the runner turns into an annotation of the line.

Source: "Workflow commands for GitHub Actions", error, warning, notice: data escapes % and line ends, properties also
`:` and `,`.
"""

from utilities.stp.finding import Finding, Severity
from utilities.stp.output.as_text import summary
from utilities.stp.output.report import Report, grade, sentence

_COMMANDS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "notice",
}


def as_github(report: Report) -> str:
    """Annotations of findings and unreadable files, then the summary as plain text."""
    lines = [_annotation(finding) for finding in report.findings]
    lines += [
        f"::error file={_property(each.path)},title=unreadable::{_data(f'{each.message}; {each.todo}')}"
        for each in report.unreadable
    ]
    return "".join(f"{line}\n" for line in (*lines, summary(report)))


def _annotation(finding: Finding) -> str:
    command = "notice" if finding.open else _COMMANDS[finding.severity]
    title = _property(f"{grade(finding)} {finding.id}")
    return f"::{command} file={_property(finding.path)},line={finding.line},title={title}::{_data(sentence(finding))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
