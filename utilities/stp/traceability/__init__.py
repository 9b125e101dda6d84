"""Plans and tests held against each other, in both directions, without importing a test.  Source: sheet §6."""

from utilities.stp.traceability.claims import Claim, read_claims
from utilities.stp.traceability.collection import STOPS_COLLECTION, collection_errors
from utilities.stp.traceability.descriptions import Description, claim_docstring, describe
from utilities.stp.traceability.tracing import trace

__all__ = [
    "STOPS_COLLECTION",
    "Claim",
    "Description",
    "claim_docstring",
    "collection_errors",
    "describe",
    "read_claims",
    "trace",
]
