"""The Python clients: their traced requests, each major version in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.apiserver.kubeconfig import kubeconfig, write_kubeconfig
from unittests.apiserver_http.labserver import ADMIN, LabServer
from unittests.apiserver_http.vms import Machines

SCRIPT = Path(__file__).with_name("client_requests.py")
# The other major version, where it is at hand: a directory that hides the installed one (tox installs it there).
OTHER = os.environ.get("KUBERNETES_37")
HIDING = [pytest.param("", id="installed"), *([pytest.param(OTHER, id="37")] if OTHER else [])]


@pytest.mark.parametrize("hiding", HIDING)
def test_traced_requests(tmp_path, hiding):
    def serve_machines(server: LabServer) -> None:
        server.front.aggregated.append(Machines().group)

    with LabServer(serve_machines) as server:
        document = kubeconfig(server.front.url, server.front.authority.pem, user="admin", token=ADMIN)
        path = write_kubeconfig(tmp_path / "kubeconfig", document)
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": hiding}
        result = subprocess.run(
            [sys.executable, SCRIPT, path], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1].startswith("kubernetes 37" if hiding else "kubernetes ")
    assert "wrapper: answered as expected" in result.stdout
