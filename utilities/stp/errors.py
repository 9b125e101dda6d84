"""The one error of this room.  What is wrong *in* a plan is a finding, never an exception."""

from utilities.errors import SuiteError


class StpError(SuiteError):
    """A plan or test file cannot be read; says which file, which line and what is wrong with it."""
