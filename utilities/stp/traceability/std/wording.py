"""Words of a description: refusals, code, resources."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.traceability.std.described import Described, line_of

_REFUSAL = re.compile(
    r"\b(?:is|are|be|gets?|was|were|stays?) (?:\w+ )?(?:refused|rejected|forbidden|denied|blocked|not allowed)\b"
    r"|(?<!that )(?<!which )(?<!who )\b(?:refuses|rejects|forbids|denies|fails|do(?:es)? not succeed|can ?not)\b"
    r"|\bends? (?:in )?fail(?:ed|ure)\b|\bmust fail\b|\bis not (?:possible|permitted)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]+`")
_IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")
_THING = r"(?:VMI?|node|pod|disk|volume|PVC|namespace|network|interface|guest)"
_UNNAMED = re.compile(
    rf"\b{_THING}[- ]?(?:(?-i:[A-C])|\d)\b|\b(?:first|second|third|1st|2nd|3rd) {_THING}s?\b", re.IGNORECASE
)


@rule("std-negative-unmarked", Severity.HIGH, Kind.HEURISTIC)
def negative_unmarked(described: Described) -> Iterator[Hit]:
    """Description or Expected speak of refusal or failure, and the description does not begin with [NEGATIVE].

    A scenario that is marked in the plan and whose tests are not is a trace-negative-mismatch.

    Why: refusals and failures are counted apart; an unmarked one hides that another is missing.
    Bad: `Test that growth beyond the free space is refused`
    Good: `[NEGATIVE] Test that growth beyond the free space is refused`
    """
    own = described.case.levels[0].docstring
    if own is None or own.description.negative:
        return
    expected = own.description.part("Expected")
    for line, text in (
        (own.line, own.description.text),
        *(((line_of(own, expected), " ".join(expected.lines)),) if expected else ()),
    ):
        match = _REFUSAL.search(text)
        if match:
            yield Hit(
                line,
                f"{described.name} is about a refusal or failure",
                "begin its description with [NEGATIVE]",
                matched=(match[0],),
            )
            return


@rule("std-code-in-text", Severity.MEDIUM)
def code_in_text(described: Described) -> Iterator[Hit]:
    """A test's docstring holds code in back-ticks, or names one of the function's parameters.

    Only parameters that are no plain word count, and not in Parametrize, whose business they are.

    Why: the description is reviewed before code exists and outlives it.
    Bad: `Live-migrate vm_with_vgpu`
    Good: `Live-migrate the VM`
    """
    own = described.case.levels[0].docstring
    if own is None:
        return
    names = {name for name in described.case.arguments if _IDENTIFIER.fullmatch(name)}
    parametrize = own.description.part("Parametrize")
    exempt = set(parametrize.lines) if parametrize else set()
    text = "\n".join(row for row in own.text.split("\n") if row.strip() not in exempt)
    found = [match[0] for match in _CODE.finditer(text)]
    found += [word for word in re.findall(r"\w+", text) if word in names]
    if found:
        words = tuple(dict.fromkeys(found))
        yield Hit(own.line, f"{described.name} is described in code", "say it in words", matched=words)


@rule("std-resource-unnamed", Severity.LOW, Kind.HEURISTIC)
def resource_unnamed(described: Described) -> Iterator[Hit]:
    """A description numbers or letters its resources: VM-A, VM1, first VM.

    Why: a name that says what the resource is for needs no legend.
    Bad: `VM-A sends to VM-B`
    Good: `The client VM sends to the server VM`
    """
    for docstring in described.case.docstrings:
        match = _UNNAMED.search(docstring.text)
        if match:
            yield Hit(
                docstring.line + docstring.text.lstrip().count("\n", 0, docstring.text.lstrip().index(match[0])),
                "a resource has a number for a name",
                "name it by its role",
                matched=(match[0],),
            )
