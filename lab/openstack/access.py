"""The files and variables by which clients find a cloud: clouds.yaml, and OS_* for programs that read no file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from lab.openstack.cloud import Cloud
from lab.openstack.identity.directory import ADMIN, DEFAULT_DOMAIN, DEMO, MANAGER, User

NAMES: Mapping[str, tuple[str, str]] = {  # cloud in clouds.yaml -> user, project
    "lab": (ADMIN, "admin"),
    "lab-manager": (MANAGER, "demo"),
    "lab-demo": (DEMO, "demo"),
}


def clouds(cloud: Cloud, auth_url: str, authority: Path | None) -> dict[str, Any]:
    """The document of clouds.yaml. authority: file with the certificate of an HTTPS front."""
    shared: dict[str, Any] = {
        "region_name": cloud.shape.region,
        "interface": "public",
        "identity_api_version": "3",
        **({"cacert": str(authority)} if authority is not None else {}),
    }
    return {"clouds": {name: {"auth": _auth(cloud, auth_url, *who), **shared} for name, who in NAMES.items()}}


def write_clouds(cloud: Cloud, auth_url: str, directory: Path, authority: bytes | None = None) -> Path:
    """Write clouds.yaml (and the certificate beside it), readable by its owner only; returns its path."""
    directory.mkdir(parents=True, exist_ok=True)
    certificate = None
    if authority is not None:
        certificate = directory.resolve() / "openstack-ca.pem"
        certificate.write_bytes(authority)
    path = directory / "clouds.yaml"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        yaml.safe_dump(clouds(cloud, auth_url, certificate), file, sort_keys=False)
    return path


def variables(cloud: Cloud, auth_url: str) -> dict[str, str]:
    """OS_* of the administrator, as the hypervisor operator reads them (hypervisor-operator sheet §4)."""
    auth = _auth(cloud, auth_url, *NAMES["lab"])
    return {
        "OS_AUTH_URL": auth_url,
        "OS_USERNAME": auth["username"],
        "OS_PASSWORD": auth["password"],
        "OS_USER_DOMAIN_NAME": auth["user_domain_name"],
        "OS_PROJECT_NAME": auth["project_name"],
        "OS_PROJECT_DOMAIN_NAME": auth["project_domain_name"],
        "OS_REGION_NAME": cloud.shape.region,
        "OS_IDENTITY_API_VERSION": "3",
    }


def _auth(cloud: Cloud, auth_url: str, user: str, project: str) -> dict[str, str]:
    return {
        "auth_url": auth_url,
        "username": user,
        "password": _user(cloud, user).password,
        "user_domain_name": DEFAULT_DOMAIN,
        "project_name": project,
        "project_domain_name": DEFAULT_DOMAIN,
    }


def _user(cloud: Cloud, name: str) -> User:
    return next(user for user in cloud.directory.users if user.name == name)
