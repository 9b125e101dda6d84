"""For a terminal of 100 columns: where and what grade, below it what is wrong and what to do."""

from textwrap import fill

from utilities.stp.finding import Finding
from utilities.stp.output.report import Report, grade, sentence

WIDTH = 100


def as_text(report: Report) -> str:
    """Every finding, then one line that counts them."""
    return "".join(f"{each}\n" for each in (*map(_shown, report.findings), summary(report)))


def summary(report: Report) -> str:
    """`3 plans: 1 critical, 2 open; 1 silenced`."""
    plans = f"{report.plans} plan{'s' if report.plans != 1 else ''}"
    told = ", ".join(f"{count} {name.lower()}" for name, count in report.counts.items()) or "no finding"
    silenced = f"; {len(report.silenced)} silenced with a reason" if report.silenced else ""
    files = len(report.unreadable)
    refused = f", {files} file{'s' if files != 1 else ''} could not be read" if files else ""
    return f"{plans}: {told}{refused}{silenced}"


def _shown(finding: Finding) -> str:
    told = fill(sentence(finding), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"{finding.path}:{finding.line}: {grade(finding)} {finding.id}\n{told}"
