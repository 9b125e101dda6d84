"""What the rules about test descriptions judge."""

from dataclasses import dataclass

from utilities.stp.plan import Plan
from utilities.stp.traceability.cases import Case, Docstring
from utilities.stp.traceability.descriptions import Part
from utilities.stp.traceability.marks import Mark


@dataclass(frozen=True, slots=True)
class Described:
    """A test and what its source has to agree with.

    plans: those a link may name; registered: the marks that pytest knows, None when that was not read.
    """

    case: Case
    plans: tuple[Plan, ...] = ()
    registered: frozenset[str] | None = None

    @property
    def implemented(self) -> bool:
        """It does something and is collected."""
        return self.case.body and self.case.collected

    @property
    def name(self) -> str:
        """The test as findings call it: without its file, which they name anyway."""
        return self.case.node.partition("::")[2]

    def part(self, name: str) -> tuple[Docstring, Part] | None:
        """A section of the test's own docstring."""
        docstring = self.case.levels[0].docstring
        part = docstring.description.part(name) if docstring is not None else None
        return (docstring, part) if docstring is not None and part is not None else None

    @property
    def written_marks(self) -> tuple[Mark, ...]:
        """Every mark in reach, those of single parameter sets included."""
        sets = tuple(mark for each in self.case.parameters for one in each.sets or () for mark in one.marks)
        return (*self.case.marks, *sets)


def line_of(docstring: Docstring, part: Part) -> int:
    """The source line of a section's heading."""
    return docstring.line + part.line - 1
