"""`python -m lab`: what it says of choices that cannot be, and what it tells who plugs in a real operator."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from lab.__main__ import main

ROOT = Path(__file__).parents[2]
PATIENCE = 120  # wall seconds, on a busy machine
BREAKING = """
from lab.__main__ import main
from lab.cluster import Cluster

start = Cluster.start

async def start_and_break(self, directory):
    ready = await start(self, directory)
    self.clock.call_later(1, lambda: 1 / 0)
    return ready

Cluster.start = start_and_break
main(["up", "--until-stdin-closes", "--profile", "kubevirt"])
"""
VARIABLES = {"OS_AUTH_URL", "OS_USERNAME", "OS_PASSWORD", "OS_USER_DOMAIN_NAME", "OS_PROJECT_NAME"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--profile", "nope"), "unknown lab profile 'nope'; known profiles: "),
        (("--operator", "nope"), "unknown hypervisor operator 'nope'; known programs: "),
        (("--without", "nope"), "unknown system 'nope'; a real one can take the place of: hypervisor-operator"),
        (("--external", "nope=/bin/true"), "unknown system 'nope'; a real one can take the place of: "),
        (("--external", "hypervisor-operator=/nope"), "hypervisor-operator: /nope is no program; build it first"),
        (
            ("--external", f"hypervisor-operator={ROOT}/README.md"),
            f"hypervisor-operator: {ROOT}/README.md is no ",
        ),
        (
            ("--profile", "vgpu", "--without", "hypervisor-operator"),
            "lab profile 'vgpu' has no hypervisor-operator; choose another, such as full",
        ),
    ],
)
def test_a_choice_that_cannot_be_is_one_line_and_status_2(capsys, words, expected):
    assert main(["check", *words]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(expected)
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_program_that_is_not_in_path(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["check", "--external", "hypervisor-operator"]) == 2
    assert "no program openstack-hypervisor-operator in PATH; say where it is" in capsys.readouterr().err


def test_all_profiles_are_listed(capsys):
    assert main(["profiles"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()][:2] == ["drain-200", "full"]


def test_who_leaves_out_the_operator_is_told_all_it_needs(tmp_path):
    command = [sys.executable, "-m", "lab", "up", "--until-stdin-closes", "--directory", str(tmp_path)]
    done = subprocess.run(
        [*command, "--without", "hypervisor-operator"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    exported = dict(
        line.removeprefix("export ").split("=", 1) for line in done.stdout.splitlines() if line.startswith("export ")
    )
    assert exported.keys() >= VARIABLES
    assert exported["KUBECONFIG"] == told["kubeconfig"] == str(tmp_path / "admin.kubeconfig")
    assert exported["OS_AUTH_URL"] == told["openstack"]
    assert told["hypervisors"].startswith("hv-1, hv-2")
    site = yaml.safe_load(Path(told["site"]).read_text())
    assert site["hypervisor_operator"]["external"] is True
    assert exported["OS_PASSWORD"] not in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [((), 100.0), (("--without", "hypervisor-operator"), 1.0), (("--without", "cortex", "--time-scale", "5"), 5.0)],
)
def test_beside_a_real_one_the_time_is_that_of_the_wall(tmp_path, words, expected):
    command = [sys.executable, "-m", "lab", "up", "--until-stdin-closes", "--directory", str(tmp_path), *words]
    subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE)
    assert yaml.safe_load((tmp_path / "site.yaml").read_text())["time_scale"] == expected


def test_a_lab_in_which_a_timer_breaks_ends_at_once_and_says_why():
    """Its time would stand still, and everybody who waits for something in it would wait for ever."""
    with subprocess.Popen(
        [sys.executable, "-c", BREAKING], cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as broken:
        try:
            status = broken.wait(timeout=PATIENCE)  # its standard input is still open
        finally:
            broken.kill()
        assert status == 1
        assert "ZeroDivisionError: division by zero" in broken.stderr.read()
