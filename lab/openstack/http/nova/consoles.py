"""`os-getConsoleOutput`: the tail of a server's serial console log (openstack sheet §4).

Source: nova, api/openstack/compute/console_output.py with its schema, compute/manager.py (`_tail_log`), and
virt/libvirt/driver.py (`MAX_CONSOLE_BYTES`, `_get_console_output_file`).
"""

from __future__ import annotations

import re
from typing import Any

from lab.openstack.compute.servers import Server
from lab.openstack.http.bodies import fields, invalid
from lab.openstack.http.calls import Call
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import RefusalError

SHOWN = 100 * 1024
"""Bytes of the log that the libvirt driver reads, from its end."""
_LENGTH = re.compile(r"-?[0-9]+")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
_KINDS = "'integer', 'string', 'null'"


def output(call: Call, server: Server, argument: Any) -> Reply:
    """The newest lines, or all that is shown at most."""
    length = _length(fields(argument, "os-getConsoleOutput", (), ("length",)).get("length"))
    call.demand("os-console-output")
    if server.host is None:
        raise RefusalError(409, f"Instance {server.id} is not ready")
    if not call.cloud.shape.nova.console_output:
        raise RefusalError(501, "The requested functionality is not supported.")
    log = call.cloud.guests.console(server.id)
    if log is None:  # libvirt has no domain of it
        raise RefusalError(404, f"Instance {server.id} could not be found.")
    text = _tail(log[-SHOWN:], length).decode("ascii", "replace")
    return Reply(200, {"output": _CONTROL.sub("", text)})


def _length(value: object) -> int | None:
    """Lines as the schema takes them: a number from -1 on, or digits in a text, which may be less."""
    if value is None:
        return None
    if isinstance(value, str):
        if not _LENGTH.fullmatch(value):
            raise invalid("length", value, f"{value!r} does not match '^-?[0-9]+$'")
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid("length", value, f"{value!r} is not of type {_KINDS}")
    if value < -1:
        raise invalid("length", value, f"{value!r} is less than the minimum of -1")
    return value


def _tail(log: bytes, length: int | None) -> bytes:
    """Nova counts what follows the last newline as a line, and takes -1 for all but the first one."""
    if length is None:
        return log
    return b"\n".join(log.split(b"\n")[-length:]) if length else b""
