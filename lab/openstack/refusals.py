"""What a service says when it says no; each service has its own form for it (openstack sheet §1, §2, §9)."""

from __future__ import annotations


class RefusalError(Exception):
    """HTTP status and message, and Placement's error code."""

    def __init__(self, status: int, message: str, code: str = "placement.undefined_code") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


class NotSimulatedError(RefusalError):
    """501: the real service may know this, the lab does not."""

    def __init__(self, what: str) -> None:
        super().__init__(501, f"the lab does not simulate {what}")
