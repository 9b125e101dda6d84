"""What the lint rules judge."""

from dataclasses import dataclass

from utilities.stp.plan import Plan


@dataclass(frozen=True, slots=True)
class Subject:
    """A plan and the circumstances it is judged in.

    fragment: sections may be missing (sheet §8); child: a child plan (sheet §1.11); parent: its parent, when at hand;
    children: names of the other plans in the folder of a parent.
    """

    plan: Plan
    fragment: bool = False
    child: bool = False
    parent: Plan | None = None
    children: tuple[str, ...] = ()

    @property
    def legacy(self) -> bool:
        """The plan uses a table of the old template."""
        return self.plan.legacy_line is not None
