"""Acting as somebody else: the `Impersonate-…` headers that `kubectl --as` sends."""

from __future__ import annotations

from collections.abc import Sequence

from lab.apiserver.auth.attributes import Attributes, forbidden_text
from lab.apiserver.auth.identity import User, authenticated, service_account
from lab.apiserver.auth.rbac import Authorizer
from lab.apiserver.errors import bad_request

_ACCOUNT = "system:serviceaccount:"


def impersonate(authorizer: Authorizer, user: User, name: str | None, groups: Sequence[str]) -> User:
    """The user a request is carried out as; raises 403 when `user` may not impersonate that user or group."""
    if name is None:
        if groups:
            raise bad_request("requested groups without impersonating a user")
        return user
    _require(authorizer, user, "users", name)
    for group in groups:
        _require(authorizer, user, "groups", group)
    if name.startswith(_ACCOUNT) and name.count(":") == 3 and not groups:
        return service_account(*name.removeprefix(_ACCOUNT).split(":"))
    return authenticated(name, groups)


def _require(authorizer: Authorizer, user: User, resource: str, name: str) -> None:
    wanted = Attributes("impersonate", resource=resource, name=name)
    if not authorizer.decide(user, wanted).allowed:
        raise forbidden_text(user.name, wanted)
