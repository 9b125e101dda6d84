"""What stops a pytest run before it starts."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from utilities.stp.finding import Finding
from utilities.stp.plan import Plan
from utilities.stp.traceability.claims import Claim, read_claims
from utilities.stp.traceability.tracing import trace

STOPS_COLLECTION = frozenset(
    {
        "trace-unknown-scenario",
        "trace-scenario-untested",
        "trace-test-unplanned",
        "trace-id-duplicate",
        "trace-exclusion-bare",
    }
)


def collection_errors(
    plans: Sequence[Plan], collected: Iterable[Claim], folders: Iterable[Path], root: Path
) -> tuple[Finding, ...]:
    """The findings no run may start with.

    collected: the claims of this run's items, possibly a selection; folders: where all tests of the plans live, read
    as source, so that a selection is not blamed for the scenarios it leaves out.
    Raises StpError when a test file cannot be read.
    """
    everything = trace(plans, read_claims(folders, root))
    selection = trace(plans, collected, partial=True)
    found = {finding for finding in (*everything, *selection) if finding.id in STOPS_COLLECTION}
    distinct = {(finding.id, finding.what): finding for finding in sorted(found, key=lambda each: each.place)}
    return tuple(sorted(distinct.values(), key=lambda finding: finding.place))
