"""What killed runs left on a shared cluster: found by their journals, and taken back by whoever comes next."""

from utilities.recovery.recover import recovered, waited_for
from utilities.recovery.undoers import undoers

__all__ = ["recovered", "undoers", "waited_for"]
