"""A guest machine: lives as long as the domain, moves with it between nodes, and survives its own reboots."""

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol

from lab.guests.accounts import FIRST_USER_UID, ROOT, Account
from lab.guests.boot import boot
from lab.guests.clocks import GuestClock, GuestTime
from lab.guests.disk import DISK_BYTES, mount, new_disk, write_accounts
from lab.guests.errors import UserDataError
from lab.guests.files import Directory, File, Volume
from lab.guests.filesystem import FileSystem
from lab.guests.hardware import Gpu, Hardware
from lab.guests.images import FEDORA, GuestImage
from lab.guests.kernel import Kernel, PowerAction
from lab.guests.limits import Limits
from lab.guests.load import MemoryLoad
from lab.guests.process import Process, Routine, Sleep
from lab.guests.scheduler import Scheduler
from lab.guests.serial import SerialLog
from lab.guests.sessions import Job
from lab.guests.signals import SIGKILL
from lab.guests.userdata import UserData


class GuestEvent(Enum):
    """What a listener is told."""

    BOOTED = "booted"
    PAUSED = "paused"
    RESUMED = "resumed"
    REBOOTED = "rebooted"
    SHUT_DOWN = "shut down"


class Link(Protocol):
    """A network connection to the guest."""

    def stall(self) -> None:
        """The guest is paused: carry nothing."""

    def flow(self) -> None:
        """The guest runs again."""

    def cut(self) -> None:
        """The guest is gone, or no longer where the connection leads."""


@dataclass(frozen=True, slots=True)
class GuestConfig:
    """How to build a guest.

    `memory` is in bytes; `idle_dirty_rate` (bytes per second of running guest) and `idle_working_set` (bytes) are
    what the guest dirties without any load, an idle vGPU included. `boot_seconds` is the product time from power-on
    until sshd and the agent answer, `reboot_seconds` the time the shutdown before a reboot takes.
    """

    name: str
    memory: int
    user_data: UserData = field(default_factory=UserData)
    gpu: Gpu | None = None
    image: GuestImage = FEDORA
    cores: int = 1
    idle_dirty_rate: float = 0.0
    idle_working_set: int = 0
    boot_seconds: float = 20.0
    reboot_seconds: float = 3.0
    seed: int | str = 0
    limits: Limits = field(default_factory=Limits)


class GuestMachine:
    """The machine, powered on by its construction.

    Everything random in it (host key, boot ids, first pids) follows from `config.seed` and `config.name`.
    """

    def __init__(self, config: GuestConfig, clock: GuestClock) -> None:
        from lab.guests.catalogue import programs_of  # the shell and all programs: not before a lab has a guest

        self.config = config
        self._clock = clock
        self._random = random.Random(f"{config.seed}:{config.name}")
        self.host_key_seed = self._random.randbytes(32)
        self.links: set[Link] = set()
        self.console = SerialLog()
        self._listeners: list[Callable[[GuestEvent], None]] = []
        self._kernel: Kernel | None = None
        self._files = FileSystem(Directory(Volume(DISK_BYTES)), self._guest_time)
        self.hardware = Hardware(config.image.devices, config.gpu, config.image.nvidia_driver)
        self._programs = programs_of(config.image)
        self._accounts = _accounts(config)
        new_disk(self._files, config.image, self._programs)
        write_accounts(self._files, self.hostname, self._accounts.values())
        _write_user_files(self._files, config.user_data, self._accounts, self.user)
        self._first_boot = True
        self._kernel = self._power_on()

    @property
    def hostname(self) -> str:
        """The guest's own name."""
        return self.config.user_data.hostname or self.config.name

    @property
    def user(self) -> str:
        """The account cloud-init made."""
        return self.config.user_data.user or self.config.image.user

    @property
    def kernel(self) -> Kernel:
        """The present boot. Raises RuntimeError when the machine is off."""
        if self._kernel is None:
            raise RuntimeError(f"guest {self.config.name} is off")
        return self._kernel

    @property
    def running(self) -> bool:
        """Whether the machine is on, paused or not."""
        return self._kernel is not None

    @property
    def paused(self) -> bool:
        """Whether the machine is on and stands still."""
        return self._kernel is not None and self._kernel.time.paused

    @property
    def booted(self) -> bool:
        """Whether the machine is on and the boot has come to its end."""
        return self._kernel is not None and self._kernel.booted

    @property
    def boot_id(self) -> uuid.UUID:
        """The present boot's id."""
        return self.kernel.boot_id

    @property
    def ssh_reachable(self) -> bool:
        """Whether something listens on port 22."""
        return self._kernel is not None and self._kernel.booted and self._kernel.services["sshd"].active

    def account(self, name: str) -> Account | None:
        """The account of that name."""
        return self._accounts.get(name)

    def authorized_keys(self, name: str) -> list[str]:
        """The lines of the account's authorized_keys, as they are on the disk now."""
        account = self._accounts.get(name)
        node = self._files.find(f"{account.home}/.ssh/authorized_keys") if account is not None else None
        return node.content.read().decode(errors="replace").splitlines() if isinstance(node, File) else []

    def subscribe(self, listener: Callable[[GuestEvent], None]) -> None:
        """Call `listener` with everything that happens to the machine from now on."""
        self._listeners.append(listener)

    def pause(self) -> None:
        """Stop the machine in its tracks; pausing twice is harmless."""
        if self._kernel is None or self._kernel.time.paused:
            return
        self._kernel.time.pause()
        self._kernel.scheduler.freeze()
        for link in list(self.links):
            link.stall()
        self._tell(GuestEvent.PAUSED)

    def resume(self) -> None:
        """Go on where `pause` stopped; the agent, where there is one, steps the wall clock to the present first."""
        if self._kernel is None or not self._kernel.time.paused:
            return
        self._kernel.time.resume()
        if self.agent_connected():
            self._kernel.time.set_realtime()
        self._kernel.scheduler.thaw()
        for link in list(self.links):
            link.flow()
        self._tell(GuestEvent.RESUMED)

    def reboot(self) -> None:
        """Reset: a new boot id, no process survives, nor what was in memory. A paused machine stays paused."""
        if self._kernel is None:
            return
        paused = self.paused
        self._power_off()
        self._kernel = self._power_on()
        self._tell(GuestEvent.REBOOTED)
        if paused:
            self.pause()

    def start(self) -> None:
        """Power on again, with the disk as it was left; harmless on a machine that is on."""
        if self._kernel is None:
            self._kernel = self._power_on()

    def shutdown(self) -> None:
        """Power off; only `start` brings the machine back."""
        if self._kernel is None:
            return
        self._power_off()
        self._tell(GuestEvent.SHUT_DOWN)

    def drop_connections(self) -> None:
        """Cut every connection: the guest has another address now."""
        for link in list(self.links):
            link.cut()
        self.links.clear()

    def kill_process(self, pid: int) -> bool:
        """Fault hook: kill a process from outside; False where there is none."""
        process = self.kernel.scheduler.table.get(pid)
        if process is None:
            return False
        self.kernel.scheduler.signal(process, SIGKILL)
        return True

    def lose_gpu(self) -> None:
        """Fault hook: the GPU vanishes from the bus."""
        self.hardware.gpu = None

    def driver_dies(self) -> None:
        """Fault hook: the GPU stays on the bus, and its driver no longer answers."""
        self.hardware.driver_alive = False

    def run(self, command: str, *, user: str | None = None, stdin: bytes = b"") -> Job:
        """Start a shell command without going through SSH; what it takes time for happens as the clock moves."""
        return Job(self.kernel, self._accounts[user or self.user], command, stdin)

    def processes(self) -> list[Process]:
        """The process table by pid; empty when the machine is off."""
        return list(self._kernel.scheduler) if self._kernel is not None else []

    def read_file(self, path: str) -> bytes:
        """A file of the guest. Raises OSError where there is none."""
        return self.kernel.files.read(path)

    def dirty_rate(self, now: float | None = None) -> float:
        """Bytes dirtied per product second at `now` (default: the present); 0.0 while paused or off."""
        if self._kernel is None or self._kernel.time.paused:
            return 0.0
        return self._kernel.load.dirty_rate(self._kernel.time.monotonic(now))

    def working_set(self, now: float | None = None) -> int:
        """Bytes that are dirtied again and again."""
        if self._kernel is None:
            return 0
        return self._kernel.load.working_set(self._kernel.time.monotonic(now))

    def agent_connected(self) -> bool:
        """Whether the guest agent runs and holds its channel (a paused one still does)."""
        service = self._kernel.services.get("qemu-guest-agent") if self._kernel is not None else None
        return service is not None and service.active

    def guest_os_info(self) -> dict[str, str]:
        """VMI `status.guestOSInfo` as the agent reports it."""
        release = self.config.image.os_release
        return {
            "id": release["ID"],
            "kernelRelease": self.config.image.kernel,
            "kernelVersion": self.config.image.kernel_build,
            "machine": "x86_64",
            "name": release["NAME"],
            "prettyName": release["PRETTY_NAME"],
            "version": release["VERSION"],
            "versionId": release["VERSION_ID"],
        }

    def _guest_time(self) -> float:
        return self._kernel.time.realtime() if self._kernel is not None else self._clock.now()

    def _tell(self, event: GuestEvent) -> None:
        for listener in list(self._listeners):
            listener(event)

    def _power_on(self) -> Kernel:
        time = GuestTime(self._clock)
        config = self.config
        kernel = Kernel(
            boot_id=uuid.UUID(int=self._random.getrandbits(128), version=4),
            boot_time=self._clock.now(),
            hostname=self.hostname,
            time=time,
            scheduler=Scheduler(self._clock, time, config.limits, first_pid=self._random.randint(900, 1400)),
            files=self._files,
            hardware=self.hardware,
            image=config.image,
            load=MemoryLoad(config.memory, config.idle_dirty_rate, config.idle_working_set),
            accounts=self._accounts,
            programs=self._programs,
            power=self._asked_for,
            cores=config.cores,
        )
        mount(kernel, config.memory, self._random.getrandbits(32), self.console)
        commands = config.user_data.run_commands if self._first_boot else ()
        self._first_boot = False
        self.console.write(f"{config.image.pretty_name}\nKernel {config.image.kernel} on an x86_64\n\n".encode())
        boot(kernel, config.boot_seconds, commands, self._booted)
        return kernel

    def _booted(self) -> None:
        self.console.write(f"{self.hostname} login: ".encode())
        self._tell(GuestEvent.BOOTED)

    def _power_off(self) -> None:
        self.drop_connections()
        self.kernel.scheduler.halt()
        self._kernel = None

    def _asked_for(self, action: PowerAction) -> None:
        """A program asked for it: systemd takes its time to stop everything, then it happens."""
        kernel = self.kernel
        process = kernel.spawn(["/usr/lib/systemd/systemd-shutdown", action.value])
        kernel.scheduler.start(process, self._shutting_down(kernel, action))

    def _shutting_down(self, kernel: Kernel, action: PowerAction) -> Routine:
        yield Sleep(kernel.time.monotonic() + self.config.reboot_seconds)
        if action is PowerAction.REBOOT:
            self.reboot()
        else:
            self.shutdown()
        return 0


def _accounts(config: GuestConfig) -> dict[str, Account]:
    data = config.user_data
    name = data.user or config.image.user
    if name == ROOT.name:
        return {name: replace(ROOT, password=data.password, password_expired=_expired(data))}
    user = Account(name, FIRST_USER_UID, f"/home/{name}", data.password, _expired(data))
    return {ROOT.name: ROOT, name: user}


def _expired(data: UserData) -> bool:
    return data.password is not None and data.password_expires


def _write_user_files(files: FileSystem, data: UserData, accounts: dict[str, Account], user: str) -> None:
    account = accounts[user]
    keys = "".join(f"{key}\n" for key in data.authorized_keys)
    files.make_directories(f"{account.home}/.ssh", owner=account.uid, mode=0o700)
    files.write(f"{account.home}/.ssh/authorized_keys", keys.encode(), owner=account.uid, mode=0o600)
    for written in data.files:
        owner = accounts.get(written.owner)
        if owner is None:
            raise UserDataError(f"cloud-config write_files: no account {written.owner!r} for {written.path}")
        files.write(written.path, written.content.encode(), owner=owner.uid, mode=written.mode)
