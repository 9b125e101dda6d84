"""The machines inside servers: the lab's guest machines, in the power state that Nova says."""

from __future__ import annotations

import base64
import binascii

from lab.clock import Clock
from lab.copying.memory import STILL, Load
from lab.guests import GuestConfig, GuestMachine, UserData, UserDataError, parse_user_data
from lab.openstack.compute.servers import PAUSED, RUNNING, SHUTDOWN, Server
from lab.openstack.compute.state import State
from lab.openstack.refusals import NotSimulatedError, RefusalError

_WORKING_SET = 32 * 2**20  # bytes that an idle guest dirties again and again


class Guests:
    """Machines by server; follows every change of a server.

    A console log is a file of one QEMU process on one host: a new process, wherever it is, begins it anew, and what is
    on a host stays there when the server leaves it.
    """

    def __init__(self, state: State, clock: Clock, seed: int, dirty_rate: int) -> None:
        self._clock = clock
        self._seed = seed
        self._dirty_rate = float(dirty_rate)
        self._machines: dict[str, GuestMachine] = {}
        self._left: dict[str, bytes] = {}  # consoles at the source of those that run at the target already
        state.listen(self._follow)

    def machine(self, server_id: str) -> GuestMachine | None:
        """The machine of a server, None before it has been launched and after it has been deleted."""
        return self._machines.get(server_id)

    def console(self, server_id: str) -> bytes | None:
        """The console log on the host where Nova says that the server is; None without a machine."""
        machine = self._machines.get(server_id)
        return None if machine is None else self._left.get(server_id, machine.console.data)

    def switch(self, server_id: str) -> None:
        """Post-copy: the guest runs at the target, and Nova does not say so yet."""
        machine = self._machines.get(server_id)
        if machine is not None:
            self._left[server_id] = machine.console.data
            machine.console.clear()

    def load(self, server_id: str) -> Load:
        """How the guest writes its memory now."""
        machine = self._machines.get(server_id)
        return STILL if machine is None else Load(machine.dirty_rate(), float(machine.working_set()))

    def stop_cpus(self, server_id: str) -> None:
        """For the hand-over of a migration."""
        machine = self._machines.get(server_id)
        if machine is not None:
            machine.pause()

    def go_on(self, server: Server) -> None:
        """After a migration, or an attempt: back to what Nova says."""
        machine = self._machines.get(server.id)
        if machine is not None and server.power_state == RUNNING:
            machine.resume()

    def power_off(self, server_id: str) -> None:
        """For a cold migration."""
        machine = self._machines.get(server_id)
        if machine is not None:
            machine.shutdown()

    def power_on(self, server_id: str) -> None:
        """After a cold migration: the same disk, a new boot."""
        machine = self._machines.get(server_id)
        if machine is not None:
            machine.console.clear()
            machine.reboot()
            machine.start()

    def reboot(self, server_id: str) -> None:
        """A new boot."""
        machine = self._machines.get(server_id)
        if machine is not None:
            machine.console.clear()
            machine.reboot()

    def _follow(self, before: Server | None, after: Server) -> None:
        if after.deleted:
            machine = self._machines.pop(after.id, None)
            self._left.pop(after.id, None)
            if machine is not None:
                machine.shutdown()
        elif after.id not in self._machines:
            if after.launched is not None:
                self._machines[after.id] = self._make(after)
                self._set_power(self._machines[after.id], after)
        elif before is not None:
            machine = self._machines[after.id]
            if before.vm_state == "suspended" != after.vm_state:
                machine.console.clear()
            if (before.vm_state, before.power_state) != (after.vm_state, after.power_state):
                self._set_power(machine, after)
            if before.host != after.host:
                machine.drop_connections()
                if self._left.pop(after.id, None) is None:
                    machine.console.clear()

    def _make(self, server: Server) -> GuestMachine:
        memory = server.flavor.ram * 2**20
        config = GuestConfig(
            name=server.name,
            memory=memory,
            user_data=user_data_of(server.user_data if server.config_drive or server.addresses else None),
            cores=server.flavor.vcpus,
            idle_dirty_rate=self._dirty_rate,
            idle_working_set=min(_WORKING_SET, memory // 4),
            seed=f"{self._seed}/{server.id}",
        )
        return GuestMachine(config, self._clock)

    def _set_power(self, machine: GuestMachine, server: Server) -> None:
        if server.vm_state == "suspended" or server.power_state == PAUSED:
            machine.pause()
        elif server.power_state == SHUTDOWN:
            machine.shutdown()
        elif server.power_state == RUNNING and server.vm_state != "resized":  # a resize powers its guest itself
            if not machine.running:
                machine.console.clear()
            machine.start()
            machine.resume()


def user_data_of(encoded: str | None) -> UserData:
    """cloud-init's user data as Nova takes it, in base64. Refuses with 400, and with 501 for what guests cannot do."""
    if encoded is None:
        return UserData()
    try:
        return parse_user_data(base64.b64decode(encoded, validate=True).decode())
    except (binascii.Error, UnicodeDecodeError) as error:
        raise RefusalError(400, "Userdata content cannot be decoded") from error
    except UserDataError as error:
        raise NotSimulatedError(f"this user_data: {error}") from error
