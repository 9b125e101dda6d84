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
        "adminpass",
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
_QUOTED = r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),  # a JSON web token
    re.compile(r"\bsha256~[A-Za-z0-9_-]{20,}"),  # an OpenShift OAuth token
    re.compile(r"\bgAAAAA[A-Za-z0-9_-]{20,}=*"),  # a Keystone token
    re.compile(r"\bssh-(?:ed25519|rsa) AAAA[A-Za-z0-9+/=]+"),
)
_NAMED = re.compile(  # a field of JSON, YAML, a Python value or an HTTP header, with its value; the name is group 1
    r"""(?ix)(?<![\w-])(["']?(?:--)?(?:[a-z]+[_-])*(?:token|password|passwd|passphrase|admin_?pass|client-key-data
    |user_?data(?:base64)?|network_?data(?:base64)?)["']?\s*(?::|=(?!=))\s*)"""
    + _QUOTED
    + r"""|[^\s"',;()\[\]{}]+)"""
)
_SECRET_VARIABLE = re.compile(r"(?i)(?:password|passwd|token|secret)$")  # of an environment, by its name
_CLOUD_CONFIG = re.compile(r"#cloud-config\b.*", re.DOTALL)


def redact_text(text: str) -> str:
    """The text with everything that looks like a credential or like cloud-init user data blotted out.

    Bare user data has no end that can be told, so everything after its beginning goes with it.
    """
    text = _NAMED.sub(lambda found: f"{found[1]}{BLOT}", text)
    for pattern in _PATTERNS:
        text = pattern.sub(BLOT, text)
    return _CLOUD_CONFIG.sub(BLOT, text)


def redact(value: Any) -> Any:
    """A copy of JSON-like data without secrets: by key, by kind (Secret) and by the look of the text."""
    if isinstance(value, Mapping):
        hidden = _hidden(value)
        return {key: BLOT if _is_secret(str(key)) or key in hidden else redact(item) for key, item in value.items()}
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [redact(item) for item in value]
    return value


def _hidden(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Keys whose values are secret because of what stands beside them."""
    if value.get("kind") == "Secret":
        return ("data", "stringData")
    return ("value",) if _SECRET_VARIABLE.search(str(value.get("name", ""))) else ()


def _is_secret(key: str) -> bool:
    return key.lower() in _SECRET_KEYS
