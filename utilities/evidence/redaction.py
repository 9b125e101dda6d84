"""Secrets never reach evidence or logs: tokens, keys, passwords and cloud-init payloads are blotted out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

BLOT = "«removed»"
_SECRET_KEYS = frozenset(
    {
        "token",
        "password",
        "passwd",
        "passphrase",
        "authorization",
        "secret",
        "private_key",
        "privatekey",
        "stringdata",
        "ssh_authorized_keys",
        "client-key-data",
        "client-certificate-data",
        "certificate-authority-data",
        "x-auth-token",
        "x-subject-token",
        "userdata",
        "userdatabase64",
        "networkdata",
        "networkdatabase64",
    }
)
_PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),  # a JSON web token
    re.compile(r"\bsha256~[A-Za-z0-9_-]{20,}"),  # an OpenShift OAuth token
    re.compile(r"(?i)(?<=password[:=])\s*\S+"),
    re.compile(r"(?i)(?<=x-auth-token: )\S+"),
)


def redact_text(text: str) -> str:
    """The text with everything that looks like a credential blotted out."""
    for pattern in _PATTERNS:
        text = pattern.sub(BLOT, text)
    return text


def redact(value: Any) -> Any:
    """A copy of JSON-like data without secrets: by key, by kind (Secret) and by the look of the text."""
    if isinstance(value, Mapping):
        secret = value.get("kind") == "Secret"
        return {
            key: BLOT if _is_secret(str(key)) or (secret and key in ("data", "stringData")) else redact(item)
            for key, item in value.items()
        }
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [redact(item) for item in value]
    return value


def _is_secret(key: str) -> bool:
    return key.lower() in _SECRET_KEYS
