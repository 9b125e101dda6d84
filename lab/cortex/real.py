"""What a real Cortex finds and reads: its configuration, its credentials, its certificate (cortex sheet §9)."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import SECRET
from lab.apiserver.certificates import KeyPair
from lab.cortex.conf import Conf
from lab.cortex.kinds import (
    COMMITTED_RESOURCE,
    DECISION,
    DESCHEDULING,
    FLAVOR_GROUP_CAPACITY,
    GROUP,
    HISTORY,
    KNOWLEDGE,
    PIPELINE,
    PROJECT_QUOTA,
    RESERVATION,
    VERSION,
)
from lab.cortex.reservations.settings import Settings
from lab.hypervisor_operator.kinds import HYPERVISOR

PORT, METRICS_PORT, HEALTH_PORT = 8080, 2112, 8081  # the first is fixed in the program
_SECRET = {"name": "cortex-nova-openstack-keystone", "namespace": "default"}
_KINDS = (
    DECISION, HISTORY, DESCHEDULING, PIPELINE, KNOWLEDGE, RESERVATION, COMMITTED_RESOURCE, PROJECT_QUOTA,
    FLAVOR_GROUP_CAPACITY, HYPERVISOR,
)  # fmt: skip
_UNUSED = ("Datasource", "KPI")  # kinds of its scheme that nothing enabled here asks for; a lab serves them not
_FLAGS = (
    f"--metrics-bind-address=:{METRICS_PORT}", "--metrics-secure=false",
    f"--health-probe-bind-address=:{HEALTH_PORT}",
)  # fmt: skip


def add_secret(api: Api, variables: Mapping[str, str]) -> None:
    """The Secret with which it logs in to Keystone; variables: OS_* of an administrator."""
    found = {
        "url": variables["OS_AUTH_URL"],
        "availability": "public",
        "username": variables["OS_USERNAME"],
        "password": variables["OS_PASSWORD"],
        "projectName": variables["OS_PROJECT_NAME"],
        "userDomainName": variables["OS_USER_DOMAIN_NAME"],
        "projectDomainName": variables["OS_PROJECT_DOMAIN_NAME"],
    }
    data = {key: base64.b64encode(text.encode()).decode() for key, text in found.items()}
    api.create(SECRET, {"metadata": dict(_SECRET), "type": "Opaque", "data": data})


def configuration(conf: Conf, settings: Settings) -> dict[str, Any]:
    """`conf.json`: the API and the controllers that are simulated. Kinds are listed each with its list."""
    kinds = (f"{kind.api_version}/{name}" for kind in _KINDS for name in (kind.kind, kind.list_kind_name))
    others = (f"{GROUP}/{VERSION}/{name}{suffix}" for name in _UNUSED for suffix in ("", "List"))
    return {
        "schedulingDomain": "nova",
        "enabledControllers": [
            "nova-pipeline-controllers",
            "inflight-reservation-controller",
            "committed-resource-reservations-controller",
        ],
        "enabledTasks": [],
        "apiservers": {"home": {"gvks": [*kinds, *others, "v1/Secret"]}},
        "keystoneSecretRef": dict(_SECRET),
        "novaLimitHostsToRequest": conf.limited,
        "evacuationShuffleK": conf.shuffled,
        "committedResourceTracking": conf.tracking,
        "monitoring": {"labels": dict(conf.labels)},
        "committedResourceReservationController": {
            "schedulerURL": f"http://localhost:{PORT}/scheduler/nova/external",
            "pipelineDefault": settings.pipelines["*"],
            "flavorGroupPipelines": dict(settings.pipelines),
            "requeueIntervalActive": _duration(settings.active),
            "requeueIntervalRetry": _duration(settings.retry),
            "requeueIntervalGracePeriod": _duration(settings.grace),
            "allocationGracePeriod": _duration(settings.allocation_grace),
            "oversubscriptionGracePeriod": _duration(settings.oversubscription_grace),
            "oversubscriptionMinCheckInterval": _duration(settings.oversubscription_check),
            "enableOversubscriptionCheck": settings.oversubscription,
            "enableOversubscriptionReservationEviction": settings.eviction,
            "keystoneSecretRef": dict(_SECRET),
        },
    }


def write_files(directory: Path, conf: Conf, settings: Settings, pair: KeyPair) -> None:
    """`conf.json`, `secrets.json`, and the webhook's certificate, whose key nobody else may read."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "conf.json").write_bytes(orjson.dumps(configuration(conf, settings), option=orjson.OPT_INDENT_2))
    (directory / "secrets.json").write_bytes(b"{}\n")
    (directory / "tls.crt").write_bytes(pair.certificate)
    descriptor = os.open(directory / "tls.key", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pair.key)


def command(directory: Path) -> str:
    """How it is started; the paths of its files are fixed in the program."""
    return f"manager {' '.join(_FLAGS)} --webhook-cert-path={directory}"


def _duration(seconds: float) -> str:
    """As Go reads it."""
    return f"{seconds:g}s"
