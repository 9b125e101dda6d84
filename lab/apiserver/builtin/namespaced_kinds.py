"""Services, claims, leases, disruption budgets and events: defaults and rules (kubernetes-api sheet §6.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lab.apiserver.admission import Object
from lab.apiserver.builtin import label_selectors
from lab.apiserver.builtin.pod_shapes import RESOURCES
from lab.apiserver.builtin.shapes import (
    INT_OR_TEXT,
    MICRO_TIME,
    OBJECT,
    SELECTOR,
    TEXT,
    TEXTS,
    WHOLE,
    array,
    obj,
    with_default,
)
from lab.apiserver.causes import forbidden_value, invalid_value, not_supported, required
from lab.apiserver.errors import Cause

_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_SERVICE_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PORT = obj(name=TEXT, port=WHOLE, protocol=with_default(TEXT, "TCP"), targetPort=INT_OR_TEXT)
SERVICE = obj(
    spec=with_default(
        obj(
            type=with_default(TEXT, "ClusterIP"),
            clusterIP=TEXT,
            ports=array(_PORT),
            selector=TEXTS,
            sessionAffinity=with_default(TEXT, "None"),
            internalTrafficPolicy=with_default(TEXT, "Cluster"),
        ),
        {},
    ),
    status=with_default(obj(loadBalancer=with_default(OBJECT, {})), {}),
)
CLAIM = obj(
    spec=with_default(
        obj(
            accessModes=array(TEXT), resources=with_default(RESOURCES, {}), storageClassName=TEXT, volumeName=TEXT,
            volumeMode=with_default(TEXT, "Filesystem"), selector=SELECTOR,
        ),
        {},
    ),
    status=OBJECT,
)  # fmt: skip
LEASE = obj(
    spec=with_default(
        obj(holderIdentity=TEXT, leaseDurationSeconds=WHOLE, leaseTransitions=WHOLE, acquireTime=MICRO_TIME,
            renewTime=MICRO_TIME, strategy=TEXT, preferredHolder=TEXT),
        {},
    )
)  # fmt: skip
BUDGET = obj(
    spec=with_default(obj(selector=SELECTOR, minAvailable=INT_OR_TEXT, maxUnavailable=INT_OR_TEXT), {}),
    status=obj(disruptedPods=TEXTS),
)
_EVENT: Final = {"reason": TEXT, "type": TEXT, "action": TEXT, "reportingInstance": TEXT, "eventTime": MICRO_TIME,
                 "series": obj(count=WHOLE, lastObservedTime=MICRO_TIME)}  # fmt: skip
EVENT = obj(
    **_EVENT, involvedObject=with_default(OBJECT, {}), message=TEXT, count=WHOLE, source=with_default(OBJECT, {}),
    reportingComponent=with_default(TEXT, ""),
)  # fmt: skip
EVENTS_EVENT = obj(**_EVENT, regarding=OBJECT, note=TEXT, deprecatedCount=WHOLE, reportingController=TEXT)
_CLAIM_FIXED = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)


def completed_service(new: Object, old: Object | None) -> Object:
    """With a cluster IP that it keeps, and target ports."""
    spec = dict(new["spec"])
    if spec.get("ports"):
        spec["ports"] = [{"targetPort": port.get("port"), **port} for port in spec["ports"]]
    if spec["type"] != "ExternalName":
        kept = (old or {}).get("spec", {}).get("clusterIP")
        spec["clusterIP"] = spec.get("clusterIP") or kept or _address(new["metadata"]["uid"])
        spec["clusterIPs"] = [spec["clusterIP"]]
        spec = {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", **spec}
    return {**new, "spec": spec}


def service_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a Service."""
    spec = new["spec"]
    if spec["type"] not in _SERVICE_TYPES:
        yield not_supported("spec.type", spec["type"], _SERVICE_TYPES)
    if not spec.get("ports") and spec["type"] != "ExternalName" and spec.get("clusterIP") != "None":
        yield required("spec.ports")
    for index, port in enumerate(spec.get("ports") or ()):
        if not 0 < port.get("port", 0) < 65536:
            why = "must be between 1 and 65535, inclusive"
            yield invalid_value(f"spec.ports[{index}].port", port.get("port", 0), why)
        if len(spec["ports"]) > 1 and not port.get("name"):
            yield required(f"spec.ports[{index}].name")
    before = (old or {}).get("spec", {}).get("clusterIP")
    if before and spec.get("clusterIP") != before and spec["type"] != "ExternalName":
        yield invalid_value("spec.clusterIPs[0]", spec.get("clusterIP"), "may not change once set")


def completed_claim(new: Object, old: Object | None) -> Object:
    """A new claim is Pending."""
    return new if old is not None else {**new, "status": {"phase": "Pending"}}


def claim_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a PersistentVolumeClaim: its spec is fixed, but a volume is given once, requests may grow."""
    spec = new["spec"]
    modes = spec.get("accessModes") or []
    if not modes:
        yield required("spec.accessModes", "at least 1 access mode is required")
    for mode in modes:
        if mode not in _MODES:
            yield not_supported("spec.accessModes", mode, _MODES)
    if not (spec["resources"].get("requests") or {}).get("storage"):
        yield required("spec.resources[storage]")
    if old is None:
        return
    aside = ["resources", "volumeAttributesClassName"]
    if not old["spec"].get("volumeName"):
        aside.append("volumeName")
    if any(spec.get(key) != old["spec"].get(key) for key in {**spec, **old["spec"]} if key not in aside):
        yield forbidden_value("spec", _CLAIM_FIXED)


def lease_causes(new: Object, _: Object | None) -> Iterator[Cause]:
    """What is wrong with a Lease."""
    spec = new["spec"]
    if spec.get("leaseDurationSeconds", 1) <= 0:
        yield invalid_value("spec.leaseDurationSeconds", spec["leaseDurationSeconds"], "must be greater than 0")
    if spec.get("leaseTransitions", 0) < 0:
        yield invalid_value("spec.leaseTransitions", spec["leaseTransitions"], "must be greater than or equal to 0")


def budget_causes(new: Object, _: Object | None) -> Iterator[Cause]:
    """What is wrong with a PodDisruptionBudget."""
    spec = new["spec"]
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        yield invalid_value("spec", spec, "minAvailable and maxUnavailable cannot be both set")
    for field in ("minAvailable", "maxUnavailable"):
        value = spec.get(field)
        if isinstance(value, str) and not (value.endswith("%") and value[:-1].isdecimal()):
            why = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', " \
                  "regex used for validation is '[0-9]+%')"  # fmt: skip
            yield invalid_value(f"spec.{field}", value, why)
        elif isinstance(value, int) and value < 0:
            yield invalid_value(f"spec.{field}", value, "must be greater than or equal to 0")
    if spec.get("selector") is not None:
        yield from label_selectors.problems(spec["selector"], "spec.selector")


def event_causes(new: Object, _: Object | None) -> Iterator[Cause]:
    """What is wrong with a core Event: it lies in the namespace of its object, `default` for cluster-scoped ones."""
    yield from _event(new, new["involvedObject"], "involvedObject")


def events_event_causes(new: Object, _: Object | None) -> Iterator[Cause]:
    """What is wrong with an events.k8s.io Event."""
    if "regarding" in new:
        yield from _event(new, new["regarding"], "regarding")


def _event(event: Mapping[str, Any], about: Mapping[str, Any], field: str) -> Iterator[Cause]:
    namespace = about.get("namespace") or ""
    if event["metadata"].get("namespace") != (namespace or "default"):
        yield invalid_value(f"{field}.namespace", namespace, "does not match event.namespace")


def _address(uid: str) -> str:
    """An address of the service network, from the service's uid."""
    first, second = hashlib.sha256(uid.encode()).digest()[:2]
    return f"10.96.{first}.{max(1, min(254, second))}"
