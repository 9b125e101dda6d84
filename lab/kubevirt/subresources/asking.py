"""What a subresource request asks, as a frozen value, and how virt-api says no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.controllers.effects import Ref
from lab.kubevirt.conditions import find, of
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.facts import is_final, phase
from lab.kubevirt.kinds import VM, VMI
from lab.kubevirt.vm.view import run_strategy

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request about a VM or VMI of this name, with what is there."""

    namespace: str
    name: str
    options: Json  # the decoded body
    vm: Json | None
    vmi: Json | None
    domain: Domain | None
    domains: Domains

    @property
    def strategy(self) -> str:
        """Run strategy of the VM."""
        return "" if self.vm is None else run_strategy(self.vm)

    @property
    def vmi_phase(self) -> str | None:
        """Phase of the VMI, None without one."""
        return None if self.vmi is None else phase(self.vmi)

    @property
    def alive(self) -> bool:
        """Whether there is a VMI that has not ended."""
        return self.vmi is not None and not is_final(self.vmi)

    @property
    def dry_run(self) -> bool:
        """Whether nothing is to happen."""
        return "All" in (self.options.get("dryRun") or ())

    @property
    def requests(self) -> list[Json]:
        """State change requests of the VM that are under way."""
        status = {} if self.vm is None else self.vm.get("status") or {}
        return list(status.get("stateChangeRequests") or ())

    @property
    def vm_ref(self) -> Ref:
        """The VM."""
        return Ref(VM, self.namespace, self.name)

    @property
    def vmi_ref(self) -> Ref:
        """The VMI."""
        return Ref(VMI, self.namespace, self.name)

    def has(self, kind: str) -> bool:
        """Whether the VMI has a condition of this type."""
        return self.vmi is not None and find(of(self.vmi), kind) is not None


@dataclass(frozen=True, slots=True)
class Refuse:
    """The answer is no."""

    error: ApiError

    def apply(self, api: Api, caller: Caller) -> None:
        """Raise it."""
        del api, caller
        raise self.error


def decoded(body: bytes) -> Json:
    """The options in a request body, JSON or YAML; none at all is fine. Raises 400."""
    if not body.strip():
        return {}
    try:
        options = yaml.safe_load(body)
    except yaml.YAMLError as error:
        raise _undecodable(str(error)) from error
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise _undecodable("json: cannot unmarshal into an object")
    return options


def vm_conflict(name: str, message: str) -> ApiError:
    """409 about a VM."""
    return _conflict("virtualmachine", name, message)


def vmi_conflict(name: str, message: str) -> ApiError:
    """409 about a VMI."""
    return _conflict("virtualmachineinstance", name, message)


def vm_missing(name: str) -> ApiError:
    """404 about a VM."""
    return _missing("virtualmachine", name)


def vmi_missing(name: str) -> ApiError:
    """404 about a VMI."""
    return _missing("virtualmachineinstance", name)


def bad_request(message: str) -> ApiError:
    """400."""
    return ApiError(400, "BadRequest", message)


def internal(message: str) -> ApiError:
    """500 wrapping another error's text."""
    details = {"causes": [{"message": message}]}
    return ApiError(500, "InternalError", f"Internal error occurred: {message}", details)


def _conflict(kind: str, name: str, message: str) -> ApiError:
    text = f'Operation cannot be fulfilled on {kind}.kubevirt.io "{name}": {message}'
    return ApiError(409, "Conflict", text, _details(kind, name))


def _missing(kind: str, name: str) -> ApiError:
    return ApiError(404, "NotFound", f'{kind}.kubevirt.io "{name}" not found', _details(kind, name))


def _details(kind: str, name: str) -> dict[str, object]:
    return {"name": name, "group": "kubevirt.io", "kind": kind}


def _undecodable(why: str) -> ApiError:
    return bad_request(f"Can not unmarshal Request body to struct, error: {why}")
