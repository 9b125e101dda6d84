"""sshd of a guest: a real SSH server on a connection that somebody else has carried to the guest's port 22.

No port is opened. `asyncssh` is imported with the first connection, because it takes most of a second.
"""

import asyncio
import errno
import os

from lab.guests.machine import GuestMachine
from lab.guests.wire import Wire

SSH_PORT = 22


class _Dial:
    """A connection attempt that a paused guest has not answered yet; implements `machine.Link`."""

    def __init__(self) -> None:
        self.answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stall(self) -> None:
        """Nothing flows yet anyway."""

    def flow(self) -> None:
        """The guest runs again and answers."""
        if not self.answered.done():
            self.answered.set_result(None)

    def cut(self) -> None:
        """The guest is gone."""
        if not self.answered.done():
            self.answered.set_exception(ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)))


async def connect(machine: GuestMachine, port: int = SSH_PORT) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to a port of the guest, as if dialled from its node.

    Raises ConnectionRefusedError where nothing listens: any port but 22, a guest that is off or still booting, a
    stopped sshd. A paused guest answers when it is resumed. The connection stalls while the guest is paused and ends
    with `machine.drop_connections()`, a reboot or a shutdown. Closing the writer ends it from this side.
    """
    while machine.paused:
        dial = _Dial()
        machine.links.add(dial)
        try:
            await dial.answered
        finally:
            machine.links.discard(dial)
    if port != SSH_PORT or not machine.ssh_reachable:
        raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
    from lab.guests.sshd import serve

    wire = Wire()
    await wire.open()
    machine.links.add(wire)
    wire.serving = asyncio.create_task(serve(machine, wire.inside))
    wire.serving.add_done_callback(lambda _task: machine.links.discard(wire))
    return await asyncio.open_connection(sock=wire.outside)
