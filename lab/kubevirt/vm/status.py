"""The status of a VM, computed from its VMI (kubevirt sheet §2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lab.clock import parse_timestamp, timestamp
from lab.controllers.answers import answer
from lab.controllers.decisions import Table
from lab.kubevirt import conditions
from lab.kubevirt.vm.view import VmView

Json = Mapping[str, Any]
_OWN = ("Ready", "Failure", "RestartRequired")  # kept, not copied from the VMI
_AUTOMATIC = ("Always", "RerunOnFailure", "Once")
_LONGEST_BACKOFF = 300  # seconds


def wanted(view: VmView, printable: Table[VmView], failure: str, jitter: float) -> dict[str, Any]:
    """The whole status. `failure`: why a start failed, "" if it did not; `jitter` between 0 and 1 spreads retries."""
    status = dict(view.status)
    vmi_conditions = [] if view.vmi is None else conditions.of(view.vmi)
    _keep(status, "created", view.vmi is not None)
    _keep(status, "ready", conditions.is_true(vmi_conditions, "Ready"))
    if status.get("runStrategy") or view.vmi is not None:
        status["runStrategy"] = view.strategy
    status["desiredGeneration"] = view.vm["metadata"].get("generation", 1)
    if view.vmi is not None:
        annotations = view.vmi["metadata"].get("annotations") or {}
        status["observedGeneration"] = int(annotations.get("kubevirt.io/vm-generation", 1))
    requests = list(status.get("stateChangeRequests") or ())
    _keep(status, "stateChangeRequests", requests[1:] if _done(view) else requests)
    _keep(status, "startFailure", _start_failure(view, jitter))
    status["conditions"] = _conditions(view, vmi_conditions, failure)
    seen = replace(view, vm={**view.vm, "status": status})
    status["printableStatus"] = answer(printable, seen)
    return status


def _keep(status: dict[str, Any], key: str, value: Any) -> None:
    """Empty values are left out, as Go's omitempty does."""
    status.pop(key, None)
    if value:
        status[key] = value


def _done(view: VmView) -> bool:
    """Whether the first state change request has been carried out."""
    if view.request.get("action") == "Stop":
        return not view.stop_requested
    return view.start_requested and view.vmi is not None and not view.vmi_deleting and not view.vmi_final


def _start_failure(view: VmView, jitter: float) -> Json | None:
    """Early failures are counted and spaced: 10 s, 40 s, 90 s, … up to 300 s, each up to half longer."""
    known: Json | None = view.status.get("startFailure")
    phases = [] if view.vmi is None else (view.vmi.get("status") or {}).get("phaseTransitionTimestamps") or []
    if view.strategy not in _AUTOMATIC or any(entry["phase"] == "Running" for entry in phases):
        return None
    if view.vmi is None or not view.vmi_final:
        return known
    uid = view.vmi["metadata"]["uid"]
    if known is not None and known["lastFailedVMIUID"] == uid:
        return known
    count = 1 if known is None else known["consecutiveFailCount"] + 1
    delay = min(_LONGEST_BACKOFF, 10 * count * count * (1 + jitter / 2))
    return {
        "consecutiveFailCount": count,
        "lastFailedVMIUID": uid,
        "retryAfterTimestamp": timestamp(parse_timestamp(view.stamp) + delay),
    }


def _conditions(view: VmView, from_vmi: conditions.Conditions, failure: str) -> conditions.Conditions:
    found = conditions.updated(conditions.of(view.vm), _ready(view, from_vmi))
    if failure:
        found = conditions.updated(
            found, conditions.make("Failure", True, "FailedCreate", failure, transition=view.stamp)
        )
    else:
        found = conditions.without(found, "Failure")
    found = _restart_required(found, view)
    if view.vmi is None:
        return found
    copied = [entry for entry in from_vmi if entry["type"] not in _OWN]
    for entry in copied:
        found = conditions.updated(found, entry)
    kept = {entry["type"] for entry in copied} | set(_OWN)
    return [entry for entry in found if entry["type"] in kept]


def _ready(view: VmView, from_vmi: conditions.Conditions) -> Json:
    if view.vmi is None:
        texts = ("VMINotExists", "VMI does not exist")
        return conditions.make("Ready", False, *texts, transition=view.stamp, probe=view.stamp)
    found = conditions.find(from_vmi, "Ready")
    if found is None:
        texts = ("VMIConditionMissing", "VMI is missing the Ready condition")
        return conditions.make("Ready", False, *texts, transition=view.stamp, probe=view.stamp)
    return found


def _restart_required(found: conditions.Conditions, view: VmView) -> conditions.Conditions:
    if view.vmi is None or not view.spec_changed:
        return conditions.without(found, "RestartRequired")
    text = "a non-live-updatable field was changed in the template spec"
    return conditions.updated(found, conditions.make("RestartRequired", True, "", text, transition=view.stamp))
