"""Kubeconfig files: one cluster, one user, one context, everything inline (sheet §1.5)."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import yaml

from lab.apiserver.certificates import KeyPair


def kubeconfig(
    server: str,
    authority: bytes,
    *,
    user: str,
    token: str | None = None,
    certificate: KeyPair | None = None,
    namespace: str = "default",
    name: str = "lab",
) -> dict[str, object]:
    """The document. `authority` is PEM; give `token` or `certificate`, or neither for an anonymous user."""
    credentials: dict[str, str] = {}
    if token is not None:
        credentials["token"] = token
    if certificate is not None:
        credentials["client-certificate-data"] = _base64(certificate.certificate)
        credentials["client-key-data"] = _base64(certificate.key)
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "preferences": {},
        "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": _base64(authority)}}],
        "users": [{"name": user, "user": credentials}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": user, "namespace": namespace}}],
        "current-context": name,
    }


def write_kubeconfig(path: Path, document: dict[str, object]) -> Path:
    """Write it, readable by its owner only; returns the path."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        yaml.safe_dump(document, file, sort_keys=False)
    return path


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
