"""Rules that need a reader: they are explained, so that a reviewer asks the question, and never find anything."""

from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject


@rule("goal-post-stable-unjustified", Severity.MEDIUM, Kind.READER)
def goal_post_stable_unjustified(subject: Subject) -> Iterator[Hit]:
    """A goal checks a settled state (after an upgrade, after completion), and names nothing by which history matters.

    Why: a state that does not depend on how it was reached is tested by the goals that reach it on the short way.
    Bad: `Verify that the VM can be snapshotted after the upgrade`
    Good: `… after the upgrade: checkpoints live in a file that the upgrade has to carry over`
    """
    del subject
    yield from ()


@rule("behaviour-untraced", Severity.MEDIUM, Kind.READER)
def behaviour_untraced(subject: Subject) -> Iterator[Hit]:
    """A requirement, limitation or note states a behaviour that neither a criterion nor a scenario observes.

    Why: what the plan only mentions will not be noticed when it changes.
    Bad: the limitation says that the VM pauses for a moment, nothing measures the pause
    Good: a criterion bounds the pause, and a scenario reads it
    """
    del subject
    yield from ()
