"""How many migrations were in flight at once: pure, and the same for every product."""

from utilities.history.in_flight.flights import NEVER, Edge, Flight, Outcome, Proof
from utilities.history.in_flight.judging import InFlight, Level, Verdict
from utilities.history.in_flight.limits import Limits
from utilities.history.in_flight.overshoots import Overshoot

__all__ = [
    "NEVER",
    "Edge",
    "Flight",
    "InFlight",
    "Level",
    "Limits",
    "Outcome",
    "Overshoot",
    "Proof",
    "Verdict",
]
