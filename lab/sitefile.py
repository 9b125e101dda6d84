"""The files a lab leaves for its users: kubeconfigs and the site file that the suite reads like any other."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.apiserver.auth.identity import MASTERS, authenticated
from lab.apiserver.http.front import Front
from lab.apiserver.kubeconfig import kubeconfig, write_kubeconfig

TESTER = "tester"  # the user without cluster rights


@dataclass(frozen=True, slots=True)
class Kubeconfigs:
    """Paths of what was written."""

    admin: Path
    tester: Path


def write_kubeconfigs(directory: Path, front: Front) -> Kubeconfigs:
    """Write the kubeconfigs of a front that listens into `directory`, with new tokens each time."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = {}
    for user, groups in (("admin", (MASTERS,)), (TESTER, ())):
        token = secrets.token_urlsafe(32)
        front.credentials.add(token, authenticated(user, groups))
        document = kubeconfig(front.url, front.authority.pem, user=user, token=token)
        paths[user] = write_kubeconfig(directory / f"{user}.kubeconfig", document).resolve()
    return Kubeconfigs(paths["admin"], paths[TESTER])


def write_site(
    directory: Path, name: str, time_scale: float, users: Kubeconfigs, sections: Iterable[Mapping[str, Any]]
) -> Path:
    """Write the site file of a lab; sections: what its systems say of themselves."""
    content: dict[str, Any] = {
        "name": f"lab {name}",
        "kind": "lab",
        "time_scale": time_scale,
        "kubernetes": {
            "kubeconfig": str(users.admin),
            "unprivileged": {"kubeconfig": str(users.tester), "user": TESTER},
        },
    }
    for section in sections:
        content.update(section)
    site = directory / "site.yaml"
    site.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return site
