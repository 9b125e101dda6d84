"""Simulated guest machines: real SSH servers with simulated insides.

A `GuestMachine` is made when a domain starts, from a `GuestConfig` and the lab's clock, and lives as long as the
domain: a live migration pauses it, cuts its connections and resumes it, and never builds it again.

    machine = GuestMachine(GuestConfig("vm-1", memory=2 << 30, user_data=parse_user_data(text), gpu=gpu), clock)
    reader, writer = await connect(machine, 22)      # bytes for a port-forward; ConnectionRefusedError while booting
    machine.dirty_rate(now), machine.working_set()   # what a migration has to copy
    machine.pause(); machine.drop_connections(); machine.resume()                # the hand-over
    machine.kill_process(pid); machine.lose_gpu(); machine.driver_dies()         # what faults do to it

Everything runs on the lab's clock in the lab's thread; only `connect` needs the event loop.
"""

from lab.guests.clocks import GuestClock
from lab.guests.errors import GuestError, NotSimulatedError, UserDataError
from lab.guests.hardware import Gpu
from lab.guests.hostkey import host_key
from lab.guests.images import FEDORA, FEDORA_WITHOUT_DRIVER, RHEL, GuestImage
from lab.guests.limits import Limits
from lab.guests.machine import GuestConfig, GuestEvent, GuestMachine
from lab.guests.sessions import Job
from lab.guests.ssh import SSH_PORT, connect
from lab.guests.userdata import UserData, parse_user_data

__all__ = [
    "FEDORA",
    "FEDORA_WITHOUT_DRIVER",
    "RHEL",
    "SSH_PORT",
    "Gpu",
    "GuestClock",
    "GuestConfig",
    "GuestError",
    "GuestEvent",
    "GuestImage",
    "GuestMachine",
    "Job",
    "Limits",
    "NotSimulatedError",
    "UserData",
    "UserDataError",
    "connect",
    "host_key",
    "parse_user_data",
]
