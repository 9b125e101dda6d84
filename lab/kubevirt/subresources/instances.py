"""pause, unpause, softreboot, reset and evacuate/cancel of VMIs (kubevirt sheet §1.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lab.apiserver.errors import ApiError
from lab.controllers.decisions import Row, Table, hold
from lab.controllers.effects import Do, Effect, Patch
from lab.kubevirt.conditions import is_true, of
from lab.kubevirt.domains import Domain
from lab.kubevirt.subresources.asking import Ask, Refuse, bad_request, internal, vmi_conflict, vmi_missing

Then = Callable[[Ask], Sequence[Effect]]
_NOT_RUNNING = "VM is not running"  # sic, for a VMI, too


def _refuse(message: str) -> Then:
    return lambda ask: (Refuse(vmi_conflict(ask.name, message)),)


def _not_running(ask: Ask) -> bool:
    return ask.vmi_phase != "Running"


def _absent(ask: Ask) -> bool:
    return ask.vmi is None


def _missing(ask: Ask) -> Sequence[Effect]:
    return (Refuse(vmi_missing(ask.name)),)


def _to_domain(what: str, action: Callable[[Ask, Domain], object]) -> Then:
    def then(ask: Ask) -> Sequence[Effect]:
        domain = ask.domain
        if domain is None:
            return (Refuse(internal("Domain not found")),)
        return (Do(what, lambda: action(ask, domain)),)

    return then


def _probed(ask: Ask) -> bool:
    probe = (ask.vmi or {})["spec"].get("livenessProbe")
    return probe is not None and "guestAgentPing" not in probe


def _forbid_probe(ask: Ask) -> Sequence[Effect]:
    why = "Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported"
    details: dict[str, object] = {"name": ask.name, "group": "kubevirt.io", "kind": "virtualmachineinstance"}
    text = f'virtualmachineinstance.kubevirt.io "{ask.name}" is forbidden: {why}'
    return (Refuse(ApiError(403, "Forbidden", text, details)),)


PAUSE: Table[Ask] = Table(
    "subresource-pause",
    (
        Row("no VMI", _absent, _missing),
        Row("does not run", _not_running, _refuse(_NOT_RUNNING)),
        Row("has a liveness probe", _probed, _forbid_probe),
        Row("paused already", lambda ask: ask.has("Paused"), _refuse("VMI is already paused")),
        Row("pause", lambda _: True, _to_domain("pause", lambda ask, domain: ask.domains.pause(domain, "user"))),
    ),
)

UNPAUSE: Table[Ask] = Table(
    "subresource-unpause",
    (
        Row("no VMI", _absent, _missing),
        Row("does not run", _not_running, _refuse("VMI is not running")),
        Row("not paused", lambda ask: not ask.has("Paused"), _refuse("VMI is not paused")),
        Row("unpause", lambda _: True, _to_domain("unpause", lambda ask, domain: ask.domains.resume(domain, "user"))),
    ),
)


def _paused(ask: Ask) -> bool:
    return ask.vmi is not None and is_true(of(ask.vmi), "Paused")


def _cannot_hear(ask: Ask) -> bool:
    features = ((ask.vmi or {})["spec"].get("domain") or {}).get("features") or {}
    return not ask.has("AgentConnected") and (features.get("acpi") or {}).get("enabled") is False


SOFT_REBOOT: Table[Ask] = Table(
    "subresource-softreboot",
    (
        Row("no VMI", _absent, _missing),
        Row("does not run", _not_running, _refuse(_NOT_RUNNING)),
        Row("paused", _paused, _refuse("VMI is paused")),
        Row(
            "cannot hear",
            _cannot_hear,
            _refuse("VMI neither have the agent connected nor the ACPI feature enabled"),
        ),
        Row("reboot", lambda _: True, _to_domain("soft reboot", lambda _, domain: domain.guest.reboot())),
    ),
)

RESET: Table[Ask] = Table(
    "subresource-reset",
    (
        Row("no VMI", _absent, _missing),
        Row(
            "does not run",
            _not_running,
            lambda ask: (
                Refuse(
                    bad_request(
                        f"Failed to reset non-running VMI with phase {ask.vmi_phase}: Unable to connect to "
                        f"VirtualMachineInstance because phase is {ask.vmi_phase} instead of Running or Scheduled"
                    )
                ),
            ),
        ),
        Row("reset", lambda _: True, _to_domain("reset", lambda _, domain: domain.guest.reboot())),
    ),
)


def _evacuation(ask: Ask) -> str:
    return str(((ask.vmi or {}).get("status") or {}).get("evacuationNodeName") or "")


def _other_node(_: Ask) -> Sequence[Effect]:
    path = "/status/evacuationNodeName"
    return (
        Refuse(
            internal(f"the server rejected our request due to an error in our request: testing value {path} failed")
        ),
    )


EVACUATE_CANCEL: Table[Ask] = Table(
    "subresource-evacuate-cancel",
    (
        Row("no VMI", _absent, _missing),
        Row("not marked", lambda ask: not _evacuation(ask), hold),
        Row("of another node", lambda ask: ask.options.get("evacuationNodeName") != _evacuation(ask), _other_node),
        Row(
            "cancel",
            lambda _: True,
            lambda ask: (Patch(ask.vmi_ref, {"status": {"evacuationNodeName": None}}),),
        ),
    ),
)
