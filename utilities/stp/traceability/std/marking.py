"""Marks: those the docstring announces, those that are written, and the forms they must have.  Source: sheet §4.2."""

import re
from collections.abc import Iterator, Sequence

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, rule
from utilities.stp.traceability.marks import TIERS, Mark
from utilities.stp.traceability.std.described import Described, line_of
from utilities.stp.traceability.std.parameter_section import inline_markers
from utilities.stp.values import issue_key

_HARDWARE = frozenset(
    re.findall(
        r"\w+",
        "gpu sriov bgp ibm_bare_metal dpdk swap cpu_manager numa hugepages jumbo_frame rwx_default_storage descheduler "
        "high_resource_vm",
    )
)
_TEAMS = frozenset(
    re.findall(
        r"\w+", "virt network storage iuo install_upgrade_operators observability infrastructure data_protection"
    )
)
"""Team marks of openshift-virtualization-tests; there and here they come from the folder."""
_IMPLICIT = frozenset(("tier2", "quarantined", *_TEAMS))
_SKIPS = ("skip", "skipif")
_NAME = re.compile(r"[-*]?\s*`?(?:pytest\.mark\.)?(\w+)")


@rule("std-markers-unconverted", Severity.MEDIUM)
def markers_unconverted(described: Described) -> Iterator[Hit]:
    """A mark that `Markers:` names is not applied at that level or above, or an inline one not on its parameter set.

    Marks that are added at collection need not be written: tier2, the team's, and the tier of a claimed scenario.

    Why: the lane selects by marks, not by docstrings.
    Bad: `Markers:` with `- gpu` and no `@pytest.mark.gpu`
    Good: `@pytest.mark.gpu`, and the docstring as it is
    """
    if not described.implemented:
        return
    levels = described.case.levels
    exempt = {*_IMPLICIT, *(TIERS if any(mark.name == "scenario" for mark in described.written_marks) else ())}
    for number, level in enumerate(levels):
        part = level.docstring.description.part("Markers") if level.docstring else None
        if level.docstring is None or part is None:
            continue
        applied = {mark.name for above in levels[number:] for mark in above.marks}
        named = [match[1] for entry in part.entries if (match := _NAME.match(entry))]
        missing = [name for name in named if name not in applied and name not in exempt]
        if missing:
            line = line_of(level.docstring, part)
            yield Hit(line, f"Markers: {', '.join(missing)} not applied", "make it a decorator, or a pytestmark")
    for value, name in inline_markers(described.case):
        carriers = [
            one for each in described.case.parameters for one in each.sets or () if value in (one.id, *one.values)
        ]
        known = all(each.sets is not None for each in described.case.parameters)
        if known and carriers and not any(mark.name == name for one in carriers for mark in one.marks):
            yield Hit(described.case.line, f"{value} does not carry {name}", f"mark its param with {name}")


@rule("std-marker-unknown", Severity.MEDIUM)
def marker_unknown(described: Described) -> Iterator[Hit]:
    """A mark is not registered in the pytest configuration.

    Why: with strict markers pytest refuses to collect the file; without, a typing error selects nothing.
    Bad: `@pytest.mark.teir3`
    Good: `@pytest.mark.tier3`
    """
    for mark in described.written_marks:
        if described.registered is not None and mark.name not in described.registered:
            yield Hit(mark.line, f"pytest knows no mark {mark.name}", "register it, or correct its name")


@rule("std-implicit-mark-written", Severity.LOW)
def implicit_mark_written(described: Described) -> Iterator[Hit]:
    """A mark is written that is added at collection: tier2, the team's, `quarantined`.

    Why: written by hand it stays when the folder or the plan changes.
    Bad: `@pytest.mark.tier2`
    Good: no mark
    """
    for mark in described.written_marks:
        if mark.name in _IMPLICIT:
            yield Hit(mark.line, f"{mark.name} is added at collection", "delete the mark")


@rule("std-skip-used", Severity.HIGH)
def skip_used(described: Described) -> Iterator[Hit]:
    """A test is skipped by mark or call.

    Why: a skipped test is green in every summary and proves nothing; what a site lacks is *blocked*.
    Bad: `@pytest.mark.skip(reason="no GPU")`
    Good: a mark that says what the test needs
    """
    for mark in described.written_marks:
        if mark.name in _SKIPS:
            yield Hit(mark.line, f"{described.name} uses {mark.name}", "say what it needs, or quarantine it")
    for line in described.case.skips:
        yield Hit(line, f"{described.name} calls pytest.skip", "say what it needs by a mark")


@rule("std-quarantine-form", Severity.HIGH)
def quarantine_form(described: Described) -> Iterator[Hit]:
    """A quarantine by xfail lacks `run=False` or the issue key; one by jira lacks `run=False`.

    Why: without the key nobody comes back to it; without run=False the broken test still runs and disturbs others.
    Bad: `@pytest.mark.xfail(reason="flaky")`
    Good: `@pytest.mark.xfail(reason=f"{QUARANTINED}: slow storage, CNV-00071", run=False)`
    """
    for mark in described.written_marks:
        if mark.name not in ("xfail", "jira"):
            continue
        missing = ["run=False"] if mark.keywords.get("run") != "False" else []
        told = " ".join((*mark.arguments, *mark.keywords.values()))
        missing += ["an issue key"] if issue_key(told) is None else []
        if missing:
            yield Hit(mark.line, f"{mark.name} without {' and '.join(missing)}", f"add {' and '.join(missing)}")


@rule("std-special-infra-missing", Severity.MEDIUM)
def special_infra_missing(described: Described) -> Iterator[Hit]:
    """A hardware mark stands without `special_infra`.

    Why: lanes without such hardware leave out `special_infra` and would pick the test up.
    Bad: `@pytest.mark.gpu`
    Good: `@pytest.mark.gpu` and `@pytest.mark.special_infra`
    """
    outer = described.case.marks
    places = [outer, *(one.marks for each in described.case.parameters for one in each.sets or ())]
    for marks in places:
        hardware = [mark for mark in marks if mark.name in _HARDWARE]
        if hardware and not _has((*marks, *outer), "special_infra"):
            named = ", ".join(dict.fromkeys(mark.name for mark in hardware))
            yield Hit(hardware[0].line, f"{named} without special_infra", "add @pytest.mark.special_infra")


def _has(marks: Sequence[Mark], name: str) -> bool:
    return any(mark.name == name for mark in marks)
