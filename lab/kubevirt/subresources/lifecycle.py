"""start, stop, restart and migrate of VMs (kubevirt sheet §1.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.apiserver.options import WriteOptions
from lab.controllers.decisions import Row, Table
from lab.controllers.effects import Effect, Patch
from lab.kubevirt.kinds import VMIM
from lab.kubevirt.subresources.asking import (
    Ask,
    Refuse,
    bad_request,
    internal,
    vm_conflict,
    vm_missing,
    vmi_missing,
)

Then = Callable[[Ask], Sequence[Effect]]
_UNDER_WAY = "unable to complete request: stop/start already underway"
_NOT_RUNNING = "VM is not running"


def _refuse(message: str) -> Then:
    return lambda ask: (Refuse(vm_conflict(ask.name, message)),)


def _run_strategy(value: str) -> Then:
    def then(ask: Ask) -> Sequence[Effect]:
        new: dict[str, Any] = {"runStrategy": value}
        if ask.vm is not None and "running" in ask.vm["spec"]:
            new = {"running": value == "Always"}
        return (Patch(ask.vm_ref, {"spec": new}),)

    return then


def _request(ask: Ask, *changes: dict[str, Any]) -> Sequence[Effect]:
    """Ask virt-controller to do it; a stop replaces what is under way, everything else waits for it."""
    if ask.requests and [change["action"] for change in changes] != ["Stop"]:
        return (Refuse(internal(_UNDER_WAY)),)
    status = {"stateChangeRequests": list(changes), "startFailure": None}
    return (Patch(ask.vm_ref, {"status": status}, subresource="status"),)


def _start_change(ask: Ask) -> dict[str, Any]:
    return {"action": "Start", **({"data": {"paused": "true"}} if ask.options.get("paused") else {})}


def _stop_change(ask: Ask) -> dict[str, Any]:
    return {"action": "Stop", "uid": (ask.vmi or {})["metadata"]["uid"]}


def _grace(ask: Ask, seconds: int) -> Sequence[Effect]:
    return (Patch(ask.vmi_ref, {"spec": {"terminationGracePeriodSeconds": seconds}}),)


def _stop(ask: Ask) -> Sequence[Effect]:
    return (*_shorter(ask), *_request(ask, _stop_change(ask)))


def _halt(ask: Ask) -> Sequence[Effect]:
    return (*_shorter(ask), *_run_strategy("Halted")(ask))


def _shorter(ask: Ask) -> Sequence[Effect]:
    given = ask.options.get("gracePeriod")
    return _grace(ask, int(given)) if given is not None and ask.alive else ()


def _restart(ask: Ask) -> Sequence[Effect]:
    forced = ask.options.get("gracePeriodSeconds") == 0
    return (*(_grace(ask, 1) if forced else ()), *_request(ask, _stop_change(ask), {"action": "Start"}))


def _manual(ask: Ask) -> bool:
    return ask.strategy in ("Manual", "RerunOnFailure")


def _ended(ask: Ask) -> bool:
    wanted = ("Succeeded",) if ask.strategy == "RerunOnFailure" else ("Succeeded", "Failed")
    return _manual(ask) and ask.vmi_phase in wanted


def _not_shorter(ask: Ask) -> bool:
    given, present = ask.options.get("gracePeriod"), (ask.vmi or {})["spec"].get("terminationGracePeriodSeconds")
    return given is None or (present is not None and given >= present)


def _missing(ask: Ask) -> Sequence[Effect]:
    return (Refuse(vm_missing(ask.name)),)


START: Table[Ask] = Table(
    "subresource-start",
    (
        Row("no VM", lambda ask: ask.vm is None, _missing),
        Row(
            "runs already",
            lambda ask: ask.alive and ask.vmi_phase not in ("", "Unknown"),
            _refuse("VM is already running"),
        ),
        Row(
            "starts paused",
            lambda ask: ask.strategy == "Halted" and bool(ask.options.get("paused")),
            lambda ask: _request(ask, _start_change(ask)),
        ),
        Row("from halted", lambda ask: ask.strategy == "Halted", _run_strategy("Always")),
        Row("after its end", _ended, lambda ask: _request(ask, _stop_change(ask), _start_change(ask))),
        Row(
            "after a failure",
            lambda ask: ask.strategy == "RerunOnFailure" and ask.vmi_phase == "Failed",
            _refuse("RerunOnFailure does not support starting VM from failed state"),
        ),
        Row("by request", _manual, lambda ask: _request(ask, _start_change(ask))),
        Row(
            "not by hand",
            lambda _: True,
            lambda ask: _refuse(f"{ask.strategy} does not support manual start requests")(ask),
        ),
    ),
)

STOP: Table[Ask] = Table(
    "subresource-stop",
    (
        Row("no VM", lambda ask: ask.vm is None, _missing),
        Row(
            "does not run",
            lambda ask: (_manual(ask) or ask.strategy == "Halted") and not ask.alive,
            _refuse(_NOT_RUNNING),
        ),
        Row(
            "halted already",
            lambda ask: ask.strategy == "Halted" and _not_shorter(ask),
            _refuse("Halted only supports manual stop requests with a shorter graceperiod"),
        ),
        Row("by request", lambda ask: _manual(ask) or ask.strategy == "Halted", _stop),
        Row("to halted", lambda _: True, _halt),
    ),
)

RESTART: Table[Ask] = Table(
    "subresource-restart",
    (
        Row(
            "slowly",
            lambda ask: (ask.options.get("gracePeriodSeconds") or 0) > 0,
            lambda _: (Refuse(bad_request("For force restart, only gracePeriod=0 is supported for now")),),
        ),
        Row(
            "backwards",
            lambda ask: (ask.options.get("gracePeriodSeconds") or 0) < 0,
            lambda _: (Refuse(bad_request("gracePeriod has to be greater or equal to 0")),),
        ),
        Row("no VM", lambda ask: ask.vm is None, _missing),
        Row(
            "not by hand",
            lambda ask: ask.strategy in ("Halted", "Once"),
            lambda ask: _refuse(f"RunStategy {ask.strategy} does not support manual restart requests")(ask),
        ),
        Row("does not run", lambda ask: ask.vmi is None, _refuse("VM is not running: Halted")),
        Row("restart", lambda _: True, _restart),
    ),
)


@dataclass(frozen=True, slots=True)
class CreateMigration:
    """A VMIM for the VM; whatever the webhook says comes out as 500."""

    ask: Ask

    def apply(self, api: Api, caller: Caller) -> None:
        """Create it."""
        spec: dict[str, Any] = {"vmiName": self.ask.name}
        if self.ask.options.get("addedNodeSelector"):
            spec["addedNodeSelector"] = self.ask.options["addedNodeSelector"]
        metadata = {"generateName": "kubevirt-migrate-vm-", "namespace": self.ask.namespace}
        try:
            api.create(
                VMIM,
                {"metadata": metadata, "spec": spec},
                caller=caller,
                options=WriteOptions(dry_run=self.ask.dry_run),
            )
        except ApiError as error:
            raise internal(error.message) from error


MIGRATE: Table[Ask] = Table(
    "subresource-migrate",
    (
        Row("no VM", lambda ask: ask.vm is None, _missing),
        Row("no VMI", lambda ask: ask.vmi is None, lambda ask: (Refuse(vmi_missing(ask.name)),)),
        Row("does not run", lambda ask: ask.vmi_phase != "Running", _refuse(_NOT_RUNNING)),
        Row("migrate", lambda _: True, lambda ask: (CreateMigration(ask),)),
    ),
)
