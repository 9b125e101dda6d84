"""Test plans as data: reading, checking and tracing them.  Needs no cluster and imports no client library."""

from utilities.stp.errors import StpError
from utilities.stp.finding import Finding, Severity
from utilities.stp.parsing import find_plans, load_plan
from utilities.stp.plan import Exclusion, Plan, Scenario

__all__ = ["Exclusion", "Finding", "Plan", "Scenario", "Severity", "StpError", "find_plans", "load_plan"]
