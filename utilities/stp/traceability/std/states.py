"""Stubs and implementations: what pytest may collect."""

from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, rule
from utilities.stp.traceability.std.described import Described


@rule("std-stub-collected", Severity.HIGH)
def stub_collected(described: Described) -> Iterator[Hit]:
    """A test holds nothing but its docstring and is collected.

    Why: an empty test passes, and its scenario counts as proven.
    Bad: a docstring and nothing else
    Good: `__test__ = False` in reach until it is implemented
    """
    if not described.case.body and described.case.collected:
        yield Hit(described.case.line, f"{described.name} is a stub and is collected", "add `__test__ = False`")


@rule("std-implemented-off", Severity.HIGH)
def implemented_off(described: Described) -> Iterator[Hit]:
    """A test is implemented and switched off.

    Why: it looks like a test of its scenario and never runs.
    Bad: statements below `__test__ = False`
    Good: `__test__ = False` is deleted with the implementation
    """
    if described.case.body and not described.case.collected:
        yield Hit(
            described.case.line, f"{described.name} is implemented and never collected", "delete `__test__ = False`"
        )
