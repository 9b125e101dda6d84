"""The same scripts in the guest's shell and in this machine's /bin/sh: equal output, equal status."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).with_name("scripts").glob("*.sh"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_guest_shell_agrees_with_sh(path, guest, clock, tmp_path):
    script = path.read_text()
    job = guest.run(script)
    clock.advance(1)

    real = subprocess.run(
        ["/bin/sh", "-c", script, "sh"],
        capture_output=True,
        cwd=tmp_path,
        env={"PATH": os.defpath, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        timeout=30,
    )

    assert job.text.splitlines() == real.stdout.decode().splitlines(), job.stderr.decode()
    assert job.status == real.returncode


def test_every_script_says_something(guest):
    assert len(SCRIPTS) > 15
    assert all(guest.run(path.read_text()).stdout for path in SCRIPTS if "substitution" not in path.stem)
