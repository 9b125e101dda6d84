"""What Allure sorts tests by: labels and links of a collected test, all taken from the plan, so that none can drift."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from utilities.plugin.collection import scenarios_of
from utilities.stp import Plan, Scenario
from utilities.stp.values import ISSUE_KEY

SEVERITIES = {"P0": "blocker", "P1": "critical", "P2": "normal"}
_TRACKING = ("Epic Tracking", "Feature Tracking")
_SECTION = re.compile(r"[A-Z][a-z]+:")


def label(items: Iterable[pytest.Item], plans: Sequence[Plan], root: Path, patterns: Mapping[str, str]) -> None:
    """Give every test the labels and links of its scenarios.

    epic: the plan's epic, else the requirement. feature: the plan. story: each scenario. severity: of the highest
    priority. A mark for each tier, which Allure shows as a tag. Links: `tms` to each scenario in its plan, `issue` to
    each defect that the test is marked with. patterns: by link type, an address with `{}` for the path or the key, as
    given by --allure-link-pattern.
    """
    known = {scenario.id: (plan, scenario) for plan in plans for scenario in plan.scenarios if scenario.id}
    for item in items:
        claimed = [known[name] for name in scenarios_of(item) if name in known]
        if claimed:
            for mark in (*_labels(claimed), *_links(item, claimed, root, patterns)):
                item.add_marker(mark)
            item.add_marker(_severity(claimed), append=False)  # the plan's word comes before a hand-written one
            description = markdown_of(inspect.getdoc(getattr(item, "function", None)) or "")
            item.add_marker(pytest.mark.allure_description(description))


def _labels(claimed: Sequence[tuple[Plan, Scenario]]) -> Iterator[pytest.MarkDecorator]:
    for tier in sorted({scenario.tier or 2 for _, scenario in claimed}):
        yield getattr(pytest.mark, f"tier{tier}")
    for plan, scenario in claimed:
        for epic in _epics(plan) or (scenario.requirement,):
            yield pytest.mark.allure_label(epic, label_type="epic")
        yield pytest.mark.allure_label(plan.title, label_type="feature")
        yield pytest.mark.allure_label(scenario.id, label_type="story")


def _severity(claimed: Sequence[tuple[Plan, Scenario]]) -> pytest.MarkDecorator:
    highest = min(scenario.priority or "P2" for _, scenario in claimed)
    return pytest.mark.allure_label(SEVERITIES[highest], label_type="severity")


def _links(
    item: pytest.Item, claimed: Sequence[tuple[Plan, Scenario]], root: Path, patterns: Mapping[str, str]
) -> Iterator[pytest.MarkDecorator]:
    for plan, scenario in claimed:
        path = plan.path.relative_to(root).as_posix()
        address = patterns.get("tms", "{}").format(f"{path}#{scenario.id}")
        yield pytest.mark.allure_link(address, link_type="tms", name=f"{scenario.id} in {path}")
    tracker = patterns.get("issue") or tracker_of(claimed[0][0])
    for key in _defects(item):
        yield pytest.mark.allure_link(tracker.format(key), link_type="issue", name=key)


def _defects(item: pytest.Item) -> Iterator[str]:
    """Issue keys of `jira` marks and of quarantine reasons (stp sheet §4.2)."""
    texts = [str(name) for mark in item.iter_markers("jira") for name in mark.args]
    texts += [str(mark.kwargs.get("reason", "")) for mark in item.iter_markers("xfail")]
    yield from dict.fromkeys(key for text in texts for key in ISSUE_KEY.findall(text))


def _epics(plan: Plan) -> tuple[str, ...]:
    field = plan.metadata.field(_TRACKING[0]) if plan.metadata else None
    return tuple(dict.fromkeys(ISSUE_KEY.findall(field.content.plain))) if field else ()


def tracker_of(plan: Plan) -> str:
    """Address of an issue with `{}` for its key, as the plan links its own; the bare key where it links none."""
    fields = [plan.metadata.field(name) for name in _TRACKING] if plan.metadata else []
    for address in (address for field in fields if field for _, address in field.content.links):
        key = ISSUE_KEY.findall(address)
        if key and address.endswith(key[-1]):
            return f"{address.removesuffix(key[-1])}{{}}"
    return "{}"


def markdown_of(docstring: str) -> str:
    """A test description (stp sheet §4.1) as Markdown: sections in bold, their lists as lists."""
    lines: list[str] = []
    within = False
    for line in docstring.splitlines():
        if _SECTION.fullmatch(line):
            within = True
            lines += ["", f"**{line}**", ""]
        else:
            lines.append(line.removeprefix("    ") if within else line)
    return "\n".join(lines).strip()
