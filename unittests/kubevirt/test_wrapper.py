"""The wrapper is imported late, says nothing of what it posts, and leaves other loggers as they were."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import logging
import sys
from types import SimpleNamespace

import utilities.kubevirt.wrapper as wrapper

assert "ocp_resources" not in sys.modules
posted = []


class Machines:
    def create(self, body, **_):
        posted.append(body)
        return SimpleNamespace(to_dict=dict)


class Api:
    served = SimpleNamespace(api_version="v1", group_version="kubevirt.io/v1")
    resources = SimpleNamespace(get=lambda **_: Machines(), search=lambda **_: [Api.served])
    configuration = SimpleNamespace(host="https://a")


manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a", "namespace": "qa"}}
manifest["spec"] = {"template": {"spec": {"volumes": [{"cloudInitNoCloud": {"userData": "#cloud-config hidden"}}]}}}
wrapper.create_vm(SimpleNamespace(url="https://a", dynamic=Api()), manifest)
assert posted[0]["spec"] == manifest["spec"]
assert type(logging.getLogger("made later")) is logging.Logger
print("created")
"""


@pytest.mark.parametrize(("asked", "loud"), [({}, False), ({"OPENSHIFT_PYTHON_WRAPPER_LOG_LEVEL": "INFO"}, True)])
def test_creating_a_machine(asked, loud):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENSHIFT")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, env=kept | asked, timeout=120
    )
    assert done.stdout == "created\n", done.stderr
    assert ("Create VirtualMachine a" in done.stderr) == loud
    assert "hidden" not in done.stderr
