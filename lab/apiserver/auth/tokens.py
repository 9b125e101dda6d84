"""Tokens of service accounts: TokenRequest (sheet §1.5)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.auth.identity import Credentials, service_account
from lab.apiserver.builtin.kinds import SERVICE_ACCOUNT
from lab.apiserver.errors import Cause, invalid
from lab.apiserver.resources import Resource
from lab.clock import timestamp

_DEFAULT, _SHORTEST = 3600, 600  # product seconds
TOKEN_REQUEST = Resource("authentication.k8s.io", "v1", "tokenrequests", "TokenRequest")


def token_request(
    api: Api, credentials: Credentials, namespace: str, name: str, body: Mapping[str, Any]
) -> dict[str, object]:
    """The answered TokenRequest: a new token for an account that exists (404 otherwise)."""
    account = api.get(SERVICE_ACCOUNT, namespace, name)
    spec = dict(body.get("spec") or {})
    seconds = spec.get("expirationSeconds") or _DEFAULT
    if seconds < _SHORTEST:
        message = f"Invalid value: {seconds}: may not specify a duration less than 10 minutes"
        raise invalid(TOKEN_REQUEST, "", [Cause("FieldValueInvalid", message, "spec.expirationSeconds")])
    expires = api.clock.now() + seconds
    token = secrets.token_urlsafe(32)
    credentials.add(token, service_account(namespace, name, str(account["metadata"]["uid"])), expires)
    return {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"name": name, "namespace": namespace, "creationTimestamp": api.clock.stamp()},
        "spec": {**spec, "expirationSeconds": seconds},
        "status": {"token": token, "expirationTimestamp": timestamp(expires)},
    }
