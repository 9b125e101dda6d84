"""Users, the token table, and the identity behind a request (sheet §1.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.apiserver.errors import ApiError

AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"
MASTERS = "system:masters"


@dataclass(frozen=True, slots=True)
class User:
    """An identity as reviews show it. Authenticated users also carry the group `system:authenticated`."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def is_admin(self) -> bool:
        """True for `system:masters`, to whom everything is allowed."""
        return MASTERS in self.groups

    def to_json(self) -> dict[str, object]:
        """The user as `userInfo` shows it."""
        body: dict[str, object] = {"username": self.name, "groups": list(self.groups)}
        if self.uid:
            body["uid"] = self.uid
        if self.extra:
            body["extra"] = {key: list(values) for key, values in self.extra.items()}
        return body


ANONYMOUS = User("system:anonymous", (UNAUTHENTICATED,))


def authenticated(name: str, groups: Sequence[str] = (), uid: str = "") -> User:
    """A user that showed credentials."""
    return User(name, tuple(dict.fromkeys((*groups, AUTHENTICATED))), uid)


def service_account(namespace: str, name: str, uid: str = "") -> User:
    """The user a service account's token stands for."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    return authenticated(f"system:serviceaccount:{namespace}:{name}", groups, uid)


class Credentials:
    """The bearer tokens this server accepts, each for one user, some until a product time."""

    def __init__(self) -> None:
        self._tokens: dict[str, tuple[User, float | None]] = {}

    def add(self, token: str, user: User, expires: float | None = None) -> None:
        """Accept `token` for `user`, until product time `expires` if given."""
        self._tokens[token] = (user, expires)

    def revoke(self, token: str) -> None:
        """Accept `token` no longer."""
        self._tokens.pop(token, None)

    def user_of(self, token: str, now: float) -> User | None:
        """The user a token stands for at product time `now`; None: unknown or expired."""
        user, expires = self._tokens.get(token, (None, None))
        return None if expires is not None and now >= expires else user


def unauthorized() -> ApiError:
    """401, in the server's words."""
    return ApiError(401, "Unauthorized", "Unauthorized")


def identify(
    credentials: Credentials, authorization: str | None, certificate: Mapping[str, Any] | None, now: float
) -> User:
    """The user of a request: client certificate first, then bearer token, else anonymous; raises 401 on a bad token.

    certificate: as `SSLSocket.getpeercert()` returns it, verified against the lab's CA; None or empty: none shown.
    """
    if certificate:
        return _certified(certificate)
    if not authorization:
        return ANONYMOUS
    scheme, _, token = authorization.partition(" ")
    user = credentials.user_of(token.strip(), now) if scheme.lower() == "bearer" else None
    if user is None:
        raise unauthorized()
    return user


def _certified(certificate: Mapping[str, Any]) -> User:
    parts = [pair for relative in certificate.get("subject", ()) for pair in relative]
    names = [value for key, value in parts if key == "commonName"]
    if not names:
        raise unauthorized()
    return authenticated(names[-1], [value for key, value in parts if key == "organizationName"])
