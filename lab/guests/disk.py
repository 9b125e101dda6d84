"""What is on a guest's disk, and what every boot mounts over it."""

from collections.abc import Iterable

from lab.guests.accounts import ROOT, Account
from lab.guests.files import Device, Directory, Link, Program, Volume
from lab.guests.filesystem import FileSystem
from lab.guests.images import GuestImage
from lab.guests.kernel import Kernel
from lab.guests.procfs import PciDirectory, ProcDirectory
from lab.guests.serial import Serial, SerialLog

DISK_BYTES = 10 << 30


def new_disk(files: FileSystem, image: GuestImage, programs: Iterable[str]) -> None:
    """Lay out the image: directories, /etc, and one executable per program."""
    for path in ("/etc", "/home", "/opt", "/srv", "/var/log", "/usr/local/bin", "/usr/bin", "/boot", "/mnt"):
        files.make_directories(path)
    files.make_directories(ROOT.home, mode=0o700)
    release = "".join(f'{key}="{value}"\n' for key, value in image.os_release.items())
    files.write("/etc/os-release", release.encode())
    binaries = files.make_directories("/usr/bin")
    for name in programs:
        binaries.put(name, Program(name))
    for name, target in (("bin", "usr/bin"), ("sbin", "usr/bin")):
        files.root.put(name, Link(target))
    files.make_directories("/usr").put("sbin", Link("bin"))


def write_accounts(files: FileSystem, hostname: str, accounts: Iterable[Account]) -> None:
    """/etc/passwd, /etc/hostname and the home directories."""
    lines = [f"{a.name}:x:{a.uid}:{a.uid}::{a.home}:/bin/sh\n" for a in accounts]
    files.write("/etc/passwd", "".join(lines).encode())
    files.write("/etc/hostname", f"{hostname}\n".encode())
    for account in accounts:
        files.make_directories(account.home, owner=account.uid, mode=0o700)


def mount(kernel: Kernel, memory: int, seed: int, console: SerialLog) -> None:
    """Fresh /proc, /sys, /dev, /run and the file systems in memory: whatever was in /tmp and /dev/shm is gone."""
    root = kernel.files.root
    root.put("proc", ProcDirectory(kernel))
    root.put("sys", Directory(Volume(0), mode=0o555))
    kernel.files.make_directories("/sys/bus/pci").put("devices", PciDirectory(kernel))
    devices = Directory(Volume(0))
    root.put("dev", devices)
    for number, (name, stream) in enumerate(
        (("null", "null"), ("zero", "zero"), ("urandom", "random"), ("random", "random"))
    ):
        devices.put(name, Device(stream, seed + number))
    for name in ("console", "ttyS0"):
        devices.put(name, Serial(console))
    devices.put("shm", Directory(Volume(memory // 2, in_memory=True), mode=0o1777))
    root.put("tmp", Directory(Volume(memory // 2, in_memory=True), mode=0o1777))
    root.put("run", Directory(Volume(memory // 5, in_memory=True)))
