"""POST /servers/{id}/action (openstack sheet §4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lab.openstack.compute.records import Order
from lab.openstack.compute.servers import Server
from lab.openstack.http.bodies import boolean, fields, invalid, text
from lab.openstack.http.calls import Call
from lab.openstack.http.nova import consoles
from lab.openstack.http.nova.finding import server_of
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import NotSimulatedError, RefusalError

Action = Callable[[Call, Server, Any], Reply]
_NOT_HERE = frozenset(
    {
        "addFixedIp", "addFloatingIp", "addSecurityGroup", "changePassword", "createBackup", "createImage", "evacuate",
        "forceDelete", "injectNetworkInfo", "os-getRDPConsole", "os-getSPICEConsole", "os-getSerialConsole",
        "os-getVNCConsole", "os-resetNetwork", "rebuild", "removeFixedIp", "removeFloatingIp", "removeSecurityGroup",
        "rescue", "resize", "restore", "shelve", "shelveOffload", "trigger_crash_dump", "unrescue", "unshelve",
    }
)  # fmt: skip
ACCEPTED = Reply(202)


def action(call: Call) -> Reply:
    """The one action of the body."""
    body = call.json()
    if len(body) != 1:
        raise RefusalError(400, "Malformed request body")
    name, argument = next(iter(body.items()))
    if name in _NOT_HERE:
        raise NotSimulatedError(f"the action {name} of servers")
    if name not in _ACTIONS:
        raise RefusalError(400, f"There is no such action: {name}")
    if name == "unlock":
        fields(argument or {}, name)
    return _ACTIONS[name](call, server_of(call), argument)


def _live(call: Call, server: Server, argument: Any) -> Reply:
    required, optional = ["host", "block_migration"], []
    if not call.at(25):
        required.append("disk_over_commit")
    if call.at(30) and not call.at(68):
        optional.append("force")
    wanted = fields(argument, "os-migrateLive", required, optional)
    call.demand("os-migrate-server:migrate_live")
    host = "" if wanted["host"] is None else text(wanted["host"], "host")
    if host:
        call.demand("os-migrate-server:migrate_live:host")
    forced = boolean(wanted.get("force", False), "force")
    if forced and not host:
        raise RefusalError(400, "Can't force to a non-provided destination")
    block = None if call.at(25) and wanted["block_migration"] == "auto" else boolean(
        wanted["block_migration"], "block_migration"
    )  # fmt: skip
    unchecked = bool(host) and (forced or not call.at(30))
    order = Order(call.request_id, host, block, unchecked)
    call.cloud.verbs.live_migrate(server, order, call.caller, wait=not call.at(34))
    return ACCEPTED


def _cold(call: Call, server: Server, argument: Any) -> Reply:
    host = ""
    if argument is not None:
        if not call.at(56):
            raise invalid("migrate", argument, f"{argument!r} is not of type 'null'")
        wanted = fields(argument, "migrate", ("host",))["host"]
        host = "" if wanted is None else text(wanted, "host")
    call.demand("os-migrate-server:migrate")
    if host:
        call.demand("os-migrate-server:migrate:host")
    call.cloud.verbs.migrate(server, Order(call.request_id, host), call.caller)
    return ACCEPTED


def _confirm(call: Call, server: Server, argument: Any) -> Reply:
    _nothing("confirmResize", argument)
    call.demand("servers:confirm_resize")
    call.cloud.verbs.confirm(server, call.caller)
    return Reply(204)


def _revert(call: Call, server: Server, argument: Any) -> Reply:
    _nothing("revertResize", argument)
    call.demand("servers:revert_resize")
    call.cloud.verbs.revert(server, call.caller)
    return ACCEPTED


def _reset(call: Call, server: Server, argument: Any) -> Reply:
    state = fields(argument, "os-resetState", ("state",))["state"]
    if state not in ("active", "error"):
        raise invalid("state", state, f"{state!r} is not one of ['active', 'error']")
    call.demand("os-admin-actions:reset_state")
    call.cloud.verbs.reset(server, state, call.caller)
    return ACCEPTED


def _simple(name: str, rule: str) -> Action:
    def act(call: Call, server: Server, argument: Any) -> Reply:
        _nothing(name, argument)
        call.demand(rule)
        call.cloud.verbs.simple(server, name, call.caller)
        return ACCEPTED

    return act


def _reboot(call: Call, server: Server, argument: Any) -> Reply:
    kind = str(fields(argument, "reboot", ("type",))["type"]).upper()
    if kind not in ("SOFT", "HARD"):
        raise invalid("type", kind, f"{kind!r} is not one of ['SOFT', 'HARD']")
    call.demand("servers:reboot")
    call.cloud.verbs.reboot(server, call.caller, hard=kind == "HARD")
    return ACCEPTED


def _lock(call: Call, server: Server, argument: Any) -> Reply:
    wanted = fields(argument or {}, "lock", (), ("locked_reason",) if call.at(73) else ())
    call.demand("os-lock-server:lock")
    call.cloud.verbs.lock(server, wanted.get("locked_reason"), call.caller)
    return ACCEPTED


def _unlock(call: Call, server: Server, _: Any) -> Reply:
    call.demand("os-lock-server:unlock")
    call.cloud.verbs.unlock(server, call.caller)
    return ACCEPTED


def _nothing(name: str, argument: object) -> None:
    if argument is not None:
        raise invalid(name, argument, f"{argument!r} is not of type 'null'")


_ACTIONS: Mapping[str, Action] = {
    "os-migrateLive": _live,
    "migrate": _cold,
    "confirmResize": _confirm,
    "revertResize": _revert,
    "os-resetState": _reset,
    "os-stop": _simple("os-stop", "servers:stop"),
    "os-start": _simple("os-start", "servers:start"),
    "pause": _simple("pause", "os-pause-server:pause"),
    "unpause": _simple("unpause", "os-pause-server:unpause"),
    "suspend": _simple("suspend", "os-suspend-server:suspend"),
    "resume": _simple("resume", "os-suspend-server:resume"),
    "reboot": _reboot,
    "lock": _lock,
    "unlock": _unlock,
    "os-getConsoleOutput": consoles.output,
}
