"""`Parametrize:` of a docstring against the decorators."""

from collections.abc import Iterator, Mapping, Sequence

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, rule
from utilities.stp.traceability.cases import Case
from utilities.stp.traceability.std.described import Described, line_of
from utilities.stp.traceability.std.parameter_section import announced

_Spellings = tuple[str, ...]
"""How one value may be called: as it is, and by its id."""


@rule("std-parametrize-mismatch", Severity.MEDIUM)
def parametrize_mismatch(described: Described) -> Iterator[Hit]:
    """Names or values of `Parametrize:` differ from the decorators.

    What is computed, and what comes from a parametrized fixture, cannot be told and is no finding.

    Why: the review agreed to other variants than those that run.
    Bad: `- volume_mode: [block, file]` and `@pytest.mark.parametrize("volume_mode", ["block"])`
    Good: both with block and file
    """
    case = described.case
    if not described.implemented:
        return
    decorated = _decorated(case)
    told: set[str] = set()
    for docstring in case.docstrings:
        part = docstring.description.part("Parametrize")
        if part is None:
            continue
        line = line_of(docstring, part)
        for written, values in announced(part).items():
            names = [name.strip() for name in written.split(",")]
            told.update(names)
            unknown = [name for name in names if name not in decorated and name not in case.arguments]
            if unknown:
                yield Hit(line, f"Parametrize: {', '.join(unknown)} is no parameter of {described.name}", "correct it")
            wrong = _difference(values, decorated.get(written)) if values else ""
            if wrong:
                yield Hit(line, f"Parametrize: {written}: {wrong}", "make docstring and decorator equal")
    missing = [name for name in decorated if name not in told]
    if told and missing:
        yield Hit(case.line, f"Parametrize: does not announce {', '.join(missing)}", "add them to the section")


def _difference(values: Sequence[str], spellings: Sequence[_Spellings] | None) -> str:
    """What only one side has; '' when both agree, or when the decorator's side cannot be told."""
    if spellings is None:
        return ""
    surplus = [value for value in values if not any(value in each for each in spellings)]
    absent = [each[0] for each in spellings if not any(value in each for value in values)]
    parts = [f"{', '.join(surplus)} does not run"] if surplus else []
    parts += [f"{', '.join(absent)} is not announced"] if absent else []
    return "; ".join(parts)


def _decorated(case: Case) -> Mapping[str, Sequence[_Spellings] | None]:
    """Parameter name to the spellings of each of its values; None when some are computed."""
    found: dict[str, Sequence[_Spellings] | None] = {}
    for each in case.parameters:
        for number, name in enumerate(each.names):
            values = [(one.values[number] if number < len(one.values) else None, one.id) for one in each.sets or ()]
            spellings = [tuple(text for text in pair if text is not None) for pair in values]
            known = each.sets is not None and all(spellings)
            found[name] = tuple(dict.fromkeys(spellings)) if known else None
    return found
