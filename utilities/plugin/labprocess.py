"""The lab as a process of its own: started, waited for, and gone when this process is, however it ends."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from utilities.errors import SiteError

_ROOT = Path(__file__).parents[2]  # where `lab` is found, wherever the run was started from
_READY = "site: "  # the line that names the site file, once everything answers


@dataclass(frozen=True, slots=True)
class LabChoice:
    """What lab to start; None: as the lab thinks best. externals: systems it runs as real binaries, each as SYSTEM or
    SYSTEM=PATH."""

    profile: str
    faults: tuple[str, ...] = ()
    seed: int = 1
    time_scale: float | None = None
    operator: str | None = None
    externals: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        """The same as arguments of `python -m lab up`."""
        return [
            "--profile", self.profile, "--seed", str(self.seed),
            *(() if self.time_scale is None else ("--time-scale", str(self.time_scale))),
            *(word for fault in self.faults for word in ("--fault", fault)),
            *(() if self.operator is None else ("--operator", self.operator)),
            *(word for external in self.externals for word in ("--external", external)),
        ]  # fmt: skip


def check(choice: LabChoice) -> None:
    """Raise SiteError with the lab's own words when it does not know the profile or a fault."""
    done = subprocess.run(
        [sys.executable, "-m", "lab", "check", *choice.arguments()],
        capture_output=True,
        text=True,
        check=False,
        cwd=_ROOT,
    )
    if done.returncode:
        raise SiteError(done.stderr.strip(), next_step="choose one of the names listed above")


@contextmanager
def running(choice: LabChoice, directory: Path) -> Iterator[Path]:
    """A running lab; yields the path of its site file. Its log is `directory/lab.log`; its tokens end with it."""
    directory.mkdir(parents=True, exist_ok=True)
    log = directory / "lab.log"
    with (
        log.open("w", encoding="utf-8") as stderr,
        tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True) as own,
    ):
        command: Sequence[str] = [
            sys.executable, "-m", "lab", "up", "--until-stdin-closes", "--directory", own, *choice.arguments(),
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=_ROOT
        )
        try:
            yield _site_file(process, log)
        finally:
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()


def _site_file(process: subprocess.Popen[str], log: Path) -> Path:
    """Read what the lab prints until it names its site file; raises SiteError when it ends before."""
    for line in process.stdout or ():
        if line.startswith(_READY):
            return Path(line.removeprefix(_READY).strip())
    process.wait()
    tail = log.read_text(encoding="utf-8").strip().splitlines()[-5:]
    raise SiteError(
        f"the lab ended with status {process.returncode} before it was ready: {' / '.join(tail)}",
        next_step=f"read {log}",
    )
