"""Real clients, unmodified, against a lab that stands by itself: openstacksdk, and the `openstack` command line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import openstack
import pytest
import yaml
from openstack import exceptions
from openstack.utils import iterate_timeout

from unittests.suite.processes import standing_lab

pytestmark = [  # the SDK warns of its own code, whatever its users do
    pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning"),
    pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning"),
]
PATIENCE = 120  # wall seconds, on a busy machine
NOT_ITS_OWN = ("OS_", "PYTHONDONTWRITEBYTECODE")  # compiling the command each time takes longer than running it
COMMAND = Path(sys.executable).with_name("openstack")  # of the environment that the tests run in


@pytest.fixture(scope="module")
def clouds(tmp_path_factory):
    """The clouds.yaml of a lab."""
    with standing_lab(tmp_path_factory.mktemp("lab")) as site:
        yield Path(yaml.safe_load(site.read_text())["openstack"]["clouds"])


@pytest.fixture(scope="module")
def connected(clouds):
    """Connections by cloud of the clouds.yaml."""
    loader = openstack.config.OpenStackConfig(config_files=[str(clouds)])
    made = {}

    def connect(cloud="lab"):
        if cloud not in made:
            made[cloud] = openstack.connection.Connection(config=loader.get_one(cloud))
            made[cloud].compute.default_microversion = "2.90"
        return made[cloud]

    yield connect
    for connection in made.values():
        connection.close()


@pytest.fixture(scope="module")
def compute(connected):
    """Nova as the administrator sees it."""
    return connected().compute


@pytest.fixture
def server(connected, compute, request):
    """A running server on hv-1."""
    cloud = connected("lab-demo")
    made = compute.create_server(
        name=request.node.name.replace("_", "-"),
        flavor_id=next(flavor.id for flavor in compute.flavors() if flavor.name == "m1.medium"),
        image_id=next(iter(cloud.image.images())).id,
        networks=[{"uuid": next(iter(cloud.network.networks())).id}],
        availability_zone="lab-a:hv-1",
    )
    yield compute.wait_for_server(made, wait=PATIENCE, interval=0.2)
    compute.delete_server(made, ignore_missing=True)
    compute.wait_for_delete(made, wait=PATIENCE, interval=0.2)


@pytest.fixture
def run(clouds):
    """Runs the command line; returns its exit status, output and errors."""

    def command(*words, cloud="lab"):
        own = {name: value for name, value in os.environ.items() if not name.startswith(NOT_ITS_OWN)}
        done = subprocess.run(
            [COMMAND, "--os-cloud", cloud, "--os-compute-api-version", "2.90", *words],
            env=own | {"OS_CLIENT_CONFIG_FILE": str(clouds), "PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout, done.stderr

    return command


def test_the_sdk_lists_what_is_there(compute, server):
    assert [one.name for one in compute.hypervisors(details=True)] == [f"hv-{n}.lab.internal" for n in range(1, 9)]
    listed = compute.servers(all_projects=True, compute_host="hv-1")
    assert [(one.name, one.status) for one in listed] == [(server.name, "ACTIVE")]
    assert {service.host for service in compute.services(binary="nova-compute")} >= {"hv-1", "hv-8"}


def test_the_sdk_sees_a_live_migration_land(compute, server):
    compute.live_migrate_server(server, block_migration="auto")
    (record,) = compute.migrations(instance_uuid=server.id)
    assert (record.migration_type, record.source_compute) == ("live-migration", "hv-1")

    for _ in iterate_timeout(PATIENCE, "the record does not end", wait=0.2):  # ACTIVE is what its status says at first
        (record,) = compute.migrations(instance_uuid=server.id)
        if record.status == "completed":
            break
    landed = compute.wait_for_server(compute.get_server(server.id), wait=PATIENCE, interval=0.2)
    assert landed.compute_host == record.dest_compute != "hv-1"
    events = next(one for one in compute.server_actions(server.id) if one.action == "live-migration")
    assert events.request_id.startswith("req-")


def test_the_sdk_raises_what_it_raises_elsewhere(compute, connected, server):
    with pytest.raises(exceptions.NotFoundException, match="could not be found"):
        compute.get_server("00000000-0000-4000-8000-000000000000")

    compute.suspend_server(server)
    compute.wait_for_server(compute.get_server(server.id), status="SUSPENDED", wait=PATIENCE, interval=0.2)
    with pytest.raises(exceptions.ConflictException, match="while it is in vm_state suspended"):
        compute.live_migrate_server(server, block_migration="auto")

    with pytest.raises(exceptions.ForbiddenException, match="Policy doesn't allow"):
        list(connected("lab-demo").compute.migrations())


def test_the_command_line_moves_a_server(run, compute, server):
    status, output, errors = run("server", "migrate", "--live-migration", server.id)
    assert status == 0, errors
    landed = compute.wait_for_server(compute.get_server(server.id), wait=PATIENCE, interval=0.2)

    status, output, errors = run("server", "list", "--all-projects", "--long", "-f", "json")
    assert status == 0, errors
    (listed,) = json.loads(output)
    assert (listed["Name"], listed["Status"]) == (server.name, "ACTIVE")
    assert listed["Host"] == landed.hypervisor_hostname != "hv-1.lab.internal"

    status, output, errors = run("server", "migration", "list", "--server", server.id, "-f", "json")
    assert status == 0, errors
    (record,) = json.loads(output)
    assert (record["Status"], record["Type"], record["Source Compute"]) == ("completed", "live-migration", "hv-1")


def test_the_command_line_tells_errors(run, server):
    busy = f"Cannot 'resume' instance {server.id} while it is in vm_state active"
    for cloud, words, expected in (
        ("lab", ("show", "nobody"), "No Server found for nobody"),
        ("lab", ("resume", server.id), f"409: Client Error for url: .*, {busy}"),
        ("lab-demo", ("migration", "list"), "403: Client Error for url: .*, Policy doesn't allow "),
    ):
        status, _, errors = run("server", *words, cloud=cloud)
        assert status == 1
        assert re.search(expected, errors), errors
