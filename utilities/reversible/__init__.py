"""Changes to a cluster that are taken back: as values that say what they do, made and undone by one context manager."""

from utilities.reversible.changes import Change, Create, Patch, annotation
from utilities.reversible.journal import UNWRITTEN, Entry, Journal
from utilities.reversible.registry import Described, Plan, Registry
from utilities.reversible.reversal import Reversible
from utilities.reversible.undo import OWNER, REMOVE, RESTORE, Remove, Restore, Target, Undo

__all__ = [
    "OWNER",
    "REMOVE",
    "RESTORE",
    "UNWRITTEN",
    "Change",
    "Create",
    "Described",
    "Entry",
    "Journal",
    "Patch",
    "Plan",
    "Registry",
    "Remove",
    "Restore",
    "Reversible",
    "Target",
    "Undo",
    "annotation",
]
