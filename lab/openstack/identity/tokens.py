"""Tokens: issued, found, revoked, expired (openstack sheet §1)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from lab.clock import Clock
from lab.openstack.identity.directory import Domain, Project, User

Scope = Project | Domain | Literal["system"] | None


@dataclass(frozen=True, slots=True)
class Token:
    """One token; times are product seconds."""

    id: str
    user: User
    scope: Scope
    roles: tuple[str, ...]
    methods: tuple[str, ...]
    issued: float
    expires: float
    audit_id: str


class Tokens:
    """All tokens of one cloud."""

    def __init__(self, clock: Clock, lifetime: float) -> None:
        self._clock = clock
        self._lifetime = lifetime
        self._tokens: dict[str, Token] = {}

    def issue(self, user: User, scope: Scope, roles: tuple[str, ...], methods: tuple[str, ...]) -> Token:
        """A new token."""
        now = self._clock.now()
        token = Token(
            f"gAAAAA{secrets.token_urlsafe(64)}",
            user,
            scope,
            roles,
            methods,
            now,
            now + self._lifetime,
            secrets.token_urlsafe(16),
        )
        self._tokens[token.id] = token
        return token

    def find(self, token_id: str) -> Token | None:
        """The token of that id, unless it has expired."""
        token = self._tokens.get(token_id)
        if token is not None and token.expires <= self._clock.now():
            del self._tokens[token_id]
            return None
        return token

    def revoke(self, token_id: str) -> None:
        """End a token; one that is gone is fine."""
        self._tokens.pop(token_id, None)

    def expire_all(self) -> None:
        """End every token: what a restart with new keys does."""
        self._tokens.clear()
