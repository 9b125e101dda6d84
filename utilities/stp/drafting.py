"""A new plan in the form of the current template: every heading, label and item, with placeholders to be replaced.

The names come from the vocabulary that the parser and the rules use, so a draft cannot fall behind them.
Source: sheet §1.1 to §1.11.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from utilities.stp.rules.family import PARENT
from utilities.stp.vocabulary import (
    APPROVERS,
    CHILD_METADATA_FIELDS,
    CRITERIA,
    DESIGN_CHECKS,
    ENVIRONMENT_FIELDS,
    ENVIRONMENT_NEEDS,
    GOALS,
    METADATA_FIELDS,
    NFR_CATEGORIES,
    NFRS,
    OUT_OF_SCOPE,
    REQUIREMENTS,
    REVIEW_CHECKS,
    REVIEWERS,
    RISK_FIELDS,
    STRATEGY_GROUPS,
    TEST_LIMITATIONS,
    TESTABILITY,
    TOOL_FIELDS,
    VALUE,
    Check,
    Part,
)

_MARKUP = re.compile(r"[\\*_`<\[\]]")
_SIGNATURE = "[Name/Date]"
_PERSON = "[Name / @github-username]"
_METADATA = {
    "Enhancement(s)": "[Links to the design documents]",
    "Feature Tracking": "[Link to the feature]",
    "Epic Tracking": "[Link to the epic]",
    "QE Owner(s)": "[Name(s)]",
    "Participating SIGs": "[List the participating SIGs]",
}
_CHILD_LABELS = {
    REQUIREMENTS.title: ("SIG-specific requirements",),
    TESTABILITY.title: ("Note any SIG-specific requirements that are unclear or untestable",),
    NFRS.title: ("SIG-specific NFRs", "NFRs not covered and why"),
}
_LISTED = ("requirements reviewed", "SIG-specific requirements", "use cases", "List the acceptance")
"""Labels whose answers are lists."""
_TYPES = {
    "Functional Testing": "the feature does what its requirements say",
    "Automation Testing": "every test runs without a person",
    "Regression Testing": "what worked before still works",
    "Performance Testing": "speed and use of resources",
    "Scale Testing": "many at once",
    "Security Testing": "who may do what",
    "Usability Testing": "what the person at the screen meets",
    "Monitoring": "metrics and alerts",
    "Compatibility Testing": "platforms, versions, configurations",
    "Upgrade Testing": "from the previous version",
    "Dependencies": "what we wait for",
    "Cross Integrations": "whom we affect",
    "Cloud Testing": "cloud platforms",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of a plan before it is written.

    sig: the owning SIG, None when not known; prefix: of its scenario ids; child: of the plan `stp.md` beside it.
    """

    title: str
    prefix: str
    sig: str | None = None
    child: bool = False


def prefix_of(stem: str) -> str:
    """A prefix for scenario ids from a file name without suffix: `DISK` of `disk-growth`."""
    word = next(iter(re.findall(r"[A-Za-z][A-Za-z0-9]*", stem)), "PLAN")
    return word.upper()


def draft(wanted: Draft) -> str:
    """The text of the new plan."""
    bodies = {
        Part.METADATA: _metadata,
        Part.OVERVIEW: _overview,
        Part.CHECKLIST: _review,
        Part.LIMITATIONS: _limitations,
        Part.DESIGN: _design,
        Part.SCOPE: _scope,
        Part.STRATEGY: _strategy,
        Part.ENVIRONMENT: _environment,
        Part.TOOLS: _tools,
        Part.ENTRY: _entry,
        Part.RISKS: _risks,
        Part.SCENARIOS: _scenarios,
        Part.APPROVAL: _approval,
    }
    title = _MARKUP.sub(r"\\\g<0>", wanted.title)
    blocks: list[str] = []
    for part in Part:
        if part in (Part.MOTIVATION, Part.SCENARIOS, Part.APPROVAL):
            blocks.append("---")
        blocks.append(f"## **{title} - {Part.PLAN.title}**" if part is Part.PLAN else part.heading)
        if part in bodies:
            blocks += bodies[part](wanted)
    return "\n\n".join(blocks) + "\n"


def _metadata(wanted: Draft) -> Iterator[str]:
    sig = wanted.sig or "[sig-xyz]"
    lines: list[str] = []
    for name in CHILD_METADATA_FIELDS if wanted.child else METADATA_FIELDS:
        if name == "Feature Maturity":
            lines += [f"- **{name}:**", *(f"  - {phase}: [version or N/A]" for phase in ("DP", "TP", "GA"))]
        else:
            lines.append(f"- **{name}:** {_METADATA.get(name, sig)}")
    yield "\n".join(lines)
    yield "**Document Conventions (if applicable):** N/A"


def _overview(wanted: Draft) -> Iterator[str]:
    if wanted.child:
        yield f"[Describe this SIG's share of the feature] Everything else stands in the [parent plan]({PARENT})."
    else:
        yield "[Brief description of the feature: what it is, why it matters, and which phase this plan covers]"


def _review(wanted: Draft) -> Iterator[str]:
    yield from (_check(check, wanted) for check in REVIEW_CHECKS if not (wanted.child and check is VALUE))


def _design(wanted: Draft) -> Iterator[str]:
    yield from (_check(check, wanted) for check in DESIGN_CHECKS)


def _check(check: Check, wanted: Draft) -> str:
    lines = [f"- [ ] **{check.title}**"]
    if check is ENVIRONMENT_NEEDS:
        return "\n".join(
            (*lines, "  - *See environment requirements in Section II.3 and testing tools in Section II.3.1*")
        )
    labels = _CHILD_LABELS.get(check.title) if wanted.child else None
    for number, label in enumerate(labels or tuple(question.label for question in check.questions)):
        if check is NFRS and number == 0:
            lines.append(f"  - *{label}:*")
            lines += (f"    - **{category}:** [Describe the target]" for category in NFR_CATEGORIES)
        elif any(word in label for word in _LISTED):
            what = "**AC1:** [Describe what is seen, and by when]" if check is CRITERIA else "[List one per line]"
            lines += [f"  - *{label}:*", f"    - {what}"]
        else:
            lines.append(f"  - *{label}:* [Describe]")
    return "\n".join(lines)


def _limitations(wanted: Draft) -> Iterator[str]:
    del wanted
    yield f"- **[Feature Limitation 1]**\n  - *Sign-off:* {_SIGNATURE}"


def _scope(wanted: Draft) -> Iterator[str]:
    del wanted
    yield f"**{GOALS}**"
    yield "\n".join(
        (
            "- **[P0]** [Define what is seen, under which conditions]",
            "- **[P1] [Negative]** [Define what is refused or fails cleanly]",
        )
    )
    yield f"**{OUT_OF_SCOPE}**"
    yield f"- **[Item]**\n  - *Rationale:* [Describe why]\n  - *PM/Lead Agreement:* {_SIGNATURE}"
    yield f"**{TEST_LIMITATIONS}**"
    yield f"- **[Test Limitation 1]**\n  - *Sign-off:* {_SIGNATURE}"


def _strategy(wanted: Draft) -> Iterator[str]:
    del wanted
    for group, types in STRATEGY_GROUPS.items():
        yield f"**{group}**"
        yield from (f"- [ ] **{name}** — {_TYPES[name]}\n  - *Details:* [Add details]" for name in types)


def _environment(wanted: Draft) -> Iterator[str]:
    if wanted.child:
        yield "Covered by the parent plan."
        return
    yield "\n".join(f"- **{name}:** [Describe, or N/A]" for name in ENVIRONMENT_FIELDS)


def _tools(wanted: Draft) -> Iterator[str]:
    if wanted.child:
        yield "Covered by the parent plan."
        return
    yield "\n".join(f"- **{name}:** [Describe what is not standard, or N/A]" for name in TOOL_FIELDS)


def _entry(wanted: Draft) -> Iterator[str]:
    if wanted.child:
        yield "Covered by the parent plan."
        return
    yield (
        "- [ ] Requirements and design documents are **approved and merged**\n"
        "- [ ] The test environment can be **set up and configured** as in Section II.3"
    )


def _risks(wanted: Draft) -> Iterator[str]:
    categories = {"[Risk Category]": ("",)} if wanted.child else RISK_FIELDS
    for category, fields in categories.items():
        yield f"**{category}**"
        lines = [
            "- **Risk:** [Describe, or none]",
            "  - **Mitigation:** [Describe who does what, or why there is none]",
        ]
        lines += [f"  - *{fields[0]}:* [Describe]"] if fields[0] else []
        yield "\n".join((*lines, f"  - *Sign-off:* {_SIGNATURE}"))


def _scenarios(wanted: Draft) -> Iterator[str]:
    story = "- **[Jira-123]** — As a [Describe the role], I want [Describe the action] so that [Describe the benefit]."
    text = f"**{wanted.prefix}-01** — [Describe what is verified]"
    tier = f"{text}\n  - *Tier:* 2" if wanted.child else f"[Tier 2] {text}"
    yield f"{story}\n  - *Test Scenario:* {tier}\n  - *Priority:* P0"


def _approval(wanted: Draft) -> Iterator[str]:
    del wanted
    reviewers, approvers = ("QE Member", "Developer"), ("QE Lead", "Product Manager", "Dev Lead")
    yield "\n".join(
        line
        for label, roles in ((REVIEWERS, reviewers), (APPROVERS, approvers))
        for line in (f"* **{label}:**", *(f"  - {role}: {_PERSON}" for role in roles))
    )
