"""Who asks Nova for something."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """A user in a project, with the names of the roles held there, and the id of the request."""

    user_id: str
    project_id: str
    roles: frozenset[str]
    request_id: str

    @property
    def admin(self) -> bool:
        """Whether the caller may do everything."""
        return "admin" in self.roles
