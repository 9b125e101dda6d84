"""The continuity workload: a heartbeat in plain sh, and what identifies it (kubevirt sheet §9.2, architecture §4)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from importlib import resources

from utilities.guest.shell import GuestShell
from utilities.history.continuity import Beat, GuestSnapshot, parse_heartbeat

INTERVAL = 0.5  # seconds of the guest between two beats, usually: the resolution of guest-observed downtime
_SCRIPT = "/tmp/continuity.sh"  # noqa: S108  in the guest
_PATIENCE = 60  # intervals to wait for a beat before the workload counts as stopped


@dataclass(frozen=True, slots=True)
class Workload:
    """A running heartbeat in one guest. interval: seconds of the guest between two beats."""

    shell: GuestShell
    pid: int
    file: str
    interval: float = INTERVAL

    @classmethod
    def start(cls, shell: GuestShell, *, interval: float = INTERVAL) -> Workload:
        """Start it in the background, detached from the SSH session."""
        script = resources.files("utilities.guest").joinpath("continuity.sh").read_text(encoding="utf-8")
        shell.run(f"cat > {_SCRIPT}", stdin=script)
        file = f"/tmp/heartbeat-{uuid.uuid4().hex[:8]}"  # noqa: S108  in the guest
        pid = shell.run(f"nohup sh {_SCRIPT} {file} {interval} > /dev/null 2>&1 & echo $!")
        return cls(shell, int(pid), file, interval)

    def snapshot(self) -> GuestSnapshot:
        """What identifies it now. Raises GuestError when the process is gone."""
        stat, boot_id = self.shell.run(f"cat /proc/{self.pid}/stat /proc/sys/kernel/random/boot_id").splitlines()
        after_name = stat.rpartition(")")[2].split()  # the name may hold blanks; field 3 follows it
        return GuestSnapshot(pid=int(stat.split()[0]), start_ticks=int(after_name[19]), boot_id=boot_id)

    def beats(self) -> tuple[Beat, ...]:
        """Every beat so far."""
        output = self.shell.run(f"cat {self.file}; echo end")  # `run` drops the last newline, which tells a whole line
        return parse_heartbeat(output.removesuffix("end"))

    def wait_beats(self, count: int) -> None:
        """Return once there are so many beats; the guest itself waits, on its own clock. Raises GuestError."""
        waiting = (
            f"n=0; while [ $(wc -l < {self.file}) -lt {count} ]; do n=$((n + 1)); [ $n -le {_PATIENCE} ] || exit 1; "
        )
        self.shell.run(f"{waiting}sleep {self.interval}; done")


@dataclass(frozen=True, slots=True)
class MemoryLoad:
    """A writer that dirties guest memory over and over, so that a copy cannot keep up."""

    shell: GuestShell
    pid: int

    @classmethod
    def start(cls, shell: GuestShell, *, mebibytes: int) -> MemoryLoad:
        """Rewrite a file of that size in memory once a second."""
        writer = f"while :; do dd if=/dev/urandom of=/dev/shm/load bs=1M count={mebibytes} conv=notrunc; sleep 1; done"
        return cls(shell, int(shell.run(f"nohup sh -c '{writer}' > /dev/null 2>&1 & echo $!")))
