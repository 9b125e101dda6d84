"""What the tests of this folder share: plans from text at hand, and the handed cases."""

from pathlib import Path
from textwrap import dedent

from utilities.stp.parsing import plan_from
from utilities.stp.plan import Plan

CASES = Path(__file__).parent / "cases"


def plan(text: str) -> Plan:
    """The plan in an indented text; line 1 is the first line after the opening quotes."""
    return plan_from(dedent(text).lstrip("\n"), Path("stps/sig-x/plan.md"))
