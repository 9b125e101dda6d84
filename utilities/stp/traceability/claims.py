"""What a test says about itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """One test, or one parameter set of it.

    test_id: `path::Class::function[parameters]`; scenario_ids: the scenarios it claims to prove;
    plan_path: the plan link of its docstrings as written; tiers: tier marks written by hand;
    negative: its description begins with [NEGATIVE]; implemented: has a body and is collected;
    severity: a hand-written Allure severity; description: what stands before the sections of its docstring.
    """

    test_id: str
    scenario_ids: tuple[str, ...]
    plan_path: str | None = None
    tiers: tuple[str, ...] = ()
    negative: bool = False
    implemented: bool = True
    severity: str | None = None
    description: str = ""
    path: str = ""
    line: int = 1

    @property
    def function(self) -> str:
        """The test without its parameter set."""
        return self.test_id.partition("[")[0]

    @property
    def file(self) -> str:
        """The file it stands in."""
        return self.path or self.test_id.partition("::")[0]
