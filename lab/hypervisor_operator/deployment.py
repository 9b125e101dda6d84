"""The operator's Deployment as its chart makes it, and what a container of it is started with."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import SECRET
from lab.hypervisor_operator.programs import image

Json = Mapping[str, Any]
NAME = "openstack-hypervisor-operator"
DEPLOYMENT_NAME = f"{NAME}-controller-manager"
NAMESPACE = f"{NAME}-system"
SECRET_NAME, PASSWORD_KEY = f"{NAME}-secret", "SERVICE_PASSWORD"
CONTAINER = "manager"
LABELS = {
    "control-plane": "controller-manager",
    "app.kubernetes.io/name": NAME,
    "app.kubernetes.io/instance": NAME,
}
ARGUMENTS = (
    "--metrics-bind-address=:8443",
    "--leader-elect",
    "--health-probe-bind-address=:8081",
    "--certificate-namespace=$(CERTIFICATE_NAMESPACE)",
    "--certificate-issuer-name=$(CERTIFICATE_ISSUER_NAME)",
    "--label-selector=$(LABEL_SELECTOR)",
    "--agent-namespaces=$(AGENT_NAMESPACES)",
)
_ENVIRONMENT = {
    "CERTIFICATE_NAMESPACE": "monsoon3",
    "CERTIFICATE_ISSUER_NAME": "nova-hypervisor-agents-ca-issuer",
    "LABEL_SELECTOR": "",
    "AGENT_NAMESPACES": "monsoon3",
}
_REFERENCE = re.compile(r"\$(\$|\(([A-Za-z_][A-Za-z0-9_]*)\))")


def secret(password: str) -> dict[str, Any]:
    """The password of the operator's OpenStack user."""
    data = {PASSWORD_KEY: base64.b64encode(password.encode()).decode()}
    return {"metadata": {"name": SECRET_NAME, "namespace": NAMESPACE}, "type": "Opaque", "data": data}


def deployment(tag: str, environment: Mapping[str, str], arguments: Iterable[str], strategy: str) -> dict[str, Any]:
    """The Deployment. environment: OS_* variables without the password; arguments: beside those of the chart."""
    values = [{"name": name, "value": value} for name, value in {**environment, **_ENVIRONMENT}.items()]
    reference = {"secretKeyRef": {"name": SECRET_NAME, "key": PASSWORD_KEY}}
    container = {
        "name": CONTAINER,
        "image": image(tag),
        "args": [*ARGUMENTS, *arguments],
        "env": [*values, {"name": "OS_PASSWORD", "valueFrom": reference}],
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8081}, "initialDelaySeconds": 5, "periodSeconds": 10},
        "livenessProbe": {
            "httpGet": {"path": "/healthz", "port": 8081},
            "initialDelaySeconds": 15,
            "periodSeconds": 20,
        },
    }
    template = {
        "metadata": {"labels": LABELS, "annotations": {"kubectl.kubernetes.io/default-container": CONTAINER}},
        "spec": {"containers": [container], "serviceAccountName": NAME, "terminationGracePeriodSeconds": 10},
    }
    return {
        "metadata": {"name": DEPLOYMENT_NAME, "namespace": NAMESPACE, "labels": LABELS},
        "spec": {
            "replicas": 1,
            "strategy": {"type": strategy},
            "selector": {"matchLabels": LABELS},
            "template": template,
        },
    }


def template_hash(template: Json) -> str:
    """What tells two templates apart."""
    return hashlib.sha256(orjson.dumps(template, option=orjson.OPT_SORT_KEYS)).hexdigest()[:10]


def environment_of(api: Api, container: Json) -> dict[str, str]:
    """The variables of a container: values, and keys of secrets that exist; later ones may name earlier ones."""
    found: dict[str, str] = {}
    for entry in container.get("env") or ():
        reference = (entry.get("valueFrom") or {}).get("secretKeyRef")
        if reference is None:
            found[entry["name"]] = expanded(str(entry.get("value", "")), found)
            continue
        kept = api.find(SECRET, NAMESPACE, reference["name"]) or {}
        text = (kept.get("data") or {}).get(reference["key"])
        if text is not None:
            found[entry["name"]] = base64.b64decode(text).decode()
    return found


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """`$(NAME)` replaced where the variable is known, `$$` by `$`."""

    def replaced(match: re.Match[str]) -> str:
        return "$" if match[1] == "$" else variables.get(match[2], match[0])

    return _REFERENCE.sub(replaced, text)
