"""/proc: the kernel's view of itself, made when it is read."""

from collections.abc import Callable, Iterator

from lab.guests.clocks import TICKS_PER_SECOND
from lab.guests.files import Directory, Generated, Node, Volume
from lab.guests.kernel import Kernel
from lab.guests.numerals import whole
from lab.guests.paths import SHARED_MEMORY, TEMPORARY
from lab.guests.process import Process

_STATE_NAMES = {"R": "running", "S": "sleeping", "T": "stopped", "I": "idle"}
_RESIDENT_PAGES = 900
_VIRTUAL_BYTES = 7_500_000


class ProcDirectory(Directory):
    """The root of /proc: fixed files, and a directory per living process."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(Volume(0), mode=0o555)
        self._kernel = kernel
        system = {
            "uptime": lambda: _uptime(kernel),
            "stat": lambda: _stat(kernel),
            "loadavg": lambda: _load_average(kernel),
            "meminfo": lambda: meminfo(kernel),
            "cpuinfo": lambda: "".join(_cpu(number) for number in range(kernel.cores)),
            "modules": lambda: _modules(kernel),
            "version": lambda: f"Linux version {kernel.image.kernel} {kernel.image.kernel_build}\n",
            "cmdline": lambda: f"BOOT_IMAGE=/vmlinuz-{kernel.image.kernel} root=/dev/vda4 ro console=ttyS0\n",
            "sys/kernel/random/boot_id": lambda: f"{kernel.boot_id}\n",
            "sys/kernel/hostname": lambda: f"{kernel.hostname}\n",
            "sys/kernel/osrelease": lambda: f"{kernel.image.kernel}\n",
        }
        _fill(self, system)
        if kernel.hardware.driver is not None:
            version = f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {kernel.hardware.driver}\n"
            _fill(self, {"driver/nvidia/version": lambda: version})

    def child(self, name: str) -> Node | None:
        pid = whole(name)
        if pid is None:
            return super().child(name)
        process = self._kernel.scheduler.table.get(pid)
        return None if process is None else _process_directory(self._kernel, process)

    def names(self) -> Iterator[str]:
        yield from super().names()
        yield from (str(process.pid) for process in self._kernel.scheduler)


def _fill(directory: Directory, files: dict[str, Callable[[], str]]) -> None:
    for path, make in files.items():
        place = directory
        *above, name = path.split("/")
        for part in above:
            node = place.child(part)
            if not isinstance(node, Directory):
                node = Directory(directory.volume, mode=0o555)
                place.put(part, node)
            place = node
        place.put(name, Generated(make))


def _process_directory(kernel: Kernel, process: Process) -> Directory:
    directory = Directory(Volume(0), owner=process.account.uid, mode=0o555)
    _fill(
        directory,
        {
            "stat": lambda: _process_stat(kernel, process),
            "status": lambda: _process_status(process),
            "cmdline": lambda: "" if process.is_kernel_thread else "\0".join(process.argv) + "\0",
            "comm": lambda: f"{process.name}\n",
        },
    )
    return directory


def parent_pid(process: Process) -> int:
    """The parent's pid; 0 for init and kthreadd."""
    return process.parent.pid if process.parent is not None else 0


def _process_stat(kernel: Kernel, process: Process) -> str:
    """proc(5): 52 fields, of which field 22 is the start time in clock ticks since boot."""
    head = [process.pid, f"({process.name})", process.state, parent_pid(process), process.session, process.session]
    head += [34816 if process.terminal else 0, -1, 4194304]
    before_start = [120, 0, 0, 0, 0, 0, 0, 0, 20, 0, 1, 0]
    after_start = [_VIRTUAL_BYTES, _RESIDENT_PAGES, 2**64 - 1] + [0] * 12 + [17] + [0] * 14
    fields = [*head, *before_start, kernel.time.ticks(process.started), *after_start]
    return " ".join(str(field) for field in fields) + "\n"


def _process_status(process: Process) -> str:
    uid = process.account.uid
    ignored = sum(1 << (number - 1) for number in process.ignored)
    return (
        f"Name:\t{process.name}\nUmask:\t0022\nState:\t{process.state} ({_STATE_NAMES[process.state]})\n"
        f"Tgid:\t{process.pid}\nNgid:\t0\nPid:\t{process.pid}\nPPid:\t{parent_pid(process)}\nTracerPid:\t0\n"
        f"Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{uid}\t{uid}\t{uid}\t{uid}\n"
        f"VmSize:\t{_VIRTUAL_BYTES // 1024:>8} kB\nVmRSS:\t{_RESIDENT_PAGES * 4:>8} kB\nThreads:\t1\n"
        f"SigIgn:\t{ignored:016x}\n"
    )


def _uptime(kernel: Kernel) -> str:
    up = kernel.time.monotonic()
    return f"{up:.2f} {up * kernel.cores:.2f}\n"


def _stat(kernel: Kernel) -> str:
    idle = int(kernel.time.monotonic() * TICKS_PER_SECOND)
    booted = int(kernel.time.realtime() - kernel.time.monotonic())
    cpus = "".join(f"cpu{number} 0 0 0 {idle} 0 0 0 0 0 0\n" for number in range(kernel.cores))
    return f"cpu  0 0 0 {idle * kernel.cores} 0 0 0 0 0 0\n{cpus}btime {booted}\nprocs_running 1\nprocs_blocked 0\n"


def _load_average(kernel: Kernel) -> str:
    table = kernel.scheduler.table
    return f"0.00 0.00 0.00 1/{len(table)} {max(table, default=1)}\n"


def memory_use(kernel: Kernel) -> tuple[int, int, int]:
    """Total, used and shared (files in memory) bytes."""
    total = kernel.load.memory
    shm = kernel.files.find(SHARED_MEMORY)
    tmp = kernel.files.find(TEMPORARY)
    shared = sum(node.volume.used for node in (shm, tmp) if isinstance(node, Directory))
    return total, min(total, total // 8), shared


def meminfo(kernel: Kernel) -> str:
    """/proc/meminfo, the lines that tools read."""
    total, used, shared = memory_use(kernel)
    free = max(0, total - used - shared)
    lines = {"MemTotal": total, "MemFree": free, "MemAvailable": free, "Buffers": 0, "Cached": shared, "Shmem": shared}
    return "".join(f"{name + ':':<16}{value // 1024:>8} kB\n" for name, value in lines.items())


def _cpu(number: int) -> str:
    return f"processor\t: {number}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel Xeon Processor (Cascadelake)\n\n"


def _modules(kernel: Kernel) -> str:
    modules = [(name, 65536) for name in kernel.image.modules]
    if kernel.hardware.driver is not None and kernel.hardware.gpu is not None:
        modules += [("nvidia_drm", 131072), ("nvidia_modeset", 1355776), ("nvidia_uvm", 4956160), ("nvidia", 54312960)]
    base = 0xFFFFFFFFC0000000
    return "".join(
        f"{name} {size} 0 - Live {base + index * 0x1000000:#x}\n" for index, (name, size) in enumerate(modules)
    )


class PciDirectory(Directory):
    """/sys/bus/pci/devices: vendor, device and class of every function."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(Volume(0), mode=0o555)
        self._kernel = kernel

    def child(self, name: str) -> Node | None:
        for device in self._kernel.hardware.devices():
            if name == f"0000:{device.address}":
                vendor, product = device.pci_id.split(":")
                directory = Directory(self.volume, mode=0o555)
                texts = {"vendor": f"0x{vendor}\n", "device": f"0x{product}\n", "class": f"0x{device.class_id}00\n"}
                for entry, text in texts.items():
                    directory.put(entry, Generated(text.__str__))
                return directory
        return None

    def names(self) -> Iterator[str]:
        return (f"0000:{device.address}" for device in self._kernel.hardware.devices())
