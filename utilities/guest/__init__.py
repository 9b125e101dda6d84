"""The guest: SSH through the API server's port-forward, and the workload whose continuity is judged."""

from utilities.guest.credentials import GuestKey
from utilities.guest.shell import GuestShell
from utilities.guest.workload import Workload

__all__ = ["GuestKey", "GuestShell", "Workload"]
