"""Nova's policies: which role may do what (openstack sheet §2). Rules are those of its policy file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.controllers.answers import answer, says
from lab.controllers.decisions import Row, Table
from lab.openstack.compute.callers import Caller
from lab.openstack.refusals import RefusalError

_PREFIX = "os_compute_api:"
_ADMIN, _MANAGER, _MEMBER, _READER = (
    frozenset({"admin"}),
    frozenset({"admin", "manager"}),
    frozenset({"admin", "manager", "member"}),
    frozenset({"admin", "manager", "member", "reader"}),
)
RULES: Mapping[str, frozenset[str]] = {
    "os-extended-server-attributes": _ADMIN,
    "os-hypervisors:list": _ADMIN,
    "os-hypervisors:list-detail": _ADMIN,
    "os-hypervisors:show": _ADMIN,
    "os-services:list": _ADMIN,
    "os-services:update": _ADMIN,
    "os-services:delete": _ADMIN,
    "os-aggregates:index": _ADMIN,
    "os-aggregates:show": _ADMIN,
    "os-aggregates:add_host": _ADMIN,
    "os-aggregates:remove_host": _ADMIN,
    "os-migrate-server:migrate_live": _MANAGER,
    "os-migrate-server:migrate_live:host": _ADMIN,
    "os-migrate-server:migrate": _MANAGER,
    "os-migrate-server:migrate:host": _ADMIN,
    "os-migrations:index": _MANAGER,
    "os-migrations:index:all_projects": _ADMIN,
    "servers:migrations:index": _MANAGER,
    "servers:migrations:show": _MANAGER,
    "servers:migrations:force_complete": _MANAGER,
    "servers:migrations:delete": _MANAGER,
    "os-admin-actions:reset_state": _ADMIN,
    "os-lock-server:lock": _MEMBER,
    "os-lock-server:unlock": _MEMBER,
    "os-lock-server:unlock:unlock_override": _ADMIN,
    "servers:index": _READER,
    "servers:index:get_all_tenants": _ADMIN,
    "servers:detail": _READER,
    "servers:detail:get_all_tenants": _ADMIN,
    "servers:allow_all_filters": _ADMIN,
    "servers:show": _READER,
    "servers:show:host_status": _ADMIN,
    "servers:create": _MEMBER,
    "servers:create:forced_host": _ADMIN,
    "servers:delete": _MEMBER,
    "servers:confirm_resize": _MEMBER,
    "servers:revert_resize": _MEMBER,
    "servers:stop": _MEMBER,
    "servers:start": _MEMBER,
    "servers:reboot": _MEMBER,
    "os-pause-server:pause": _MEMBER,
    "os-pause-server:unpause": _MEMBER,
    "os-suspend-server:suspend": _MEMBER,
    "os-suspend-server:resume": _MEMBER,
    "os-console-output": _MEMBER,
    "os-instance-actions:list": _READER,
    "os-instance-actions:show": _READER,
    "os-instance-actions:events": _ADMIN,
    "os-instance-actions:events:details": _ADMIN,
    "os-server-groups:index": _READER,
    "os-server-groups:index:all_projects": _ADMIN,
    "os-server-groups:show": _READER,
}


@dataclass(frozen=True, slots=True)
class Ask:
    """A caller and a rule."""

    caller: Caller
    rule: str


POLICIES: Table[Ask] = Table(
    "nova-policies",
    (
        Row("has a role", lambda ask: bool(RULES[ask.rule] & ask.caller.roles), says(True)),
        Row("has none", lambda _: True, says(False)),
    ),
)


@dataclass(frozen=True, slots=True)
class Policies:
    """Asks the table."""

    table: Table[Ask]

    def allow(self, caller: Caller, rule: str) -> bool:
        """Whether the caller may."""
        return bool(answer(self.table, Ask(caller, rule), False))

    def demand(self, caller: Caller, *rules: str) -> None:
        """Refuse with 403 unless the caller may do all of it."""
        for rule in rules:
            if not self.allow(caller, rule):
                raise RefusalError(403, f"Policy doesn't allow {_PREFIX}{rule} to be performed.")
