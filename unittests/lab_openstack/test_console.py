"""What Nova shows of a server's serial console (openstack sheet §4; nova: console_output.py, libvirt/driver.py)."""

import base64

import pytest

from lab.openstack.shape import NovaOptions
from unittests.lab_openstack.bed import Bed
from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import LiveCloud

SCRIPT = "#!/bin/sh\nn=0\nwhile :; do n=$((n + 1)); echo tick $n > /dev/console; sleep 1; done\n"
USER_DATA = base64.b64encode(SCRIPT.encode()).decode()
LIVE = {"os-migrateLive": {"host": None, "block_migration": False}}


def read(client, server, length=None, version="2.90"):
    answer = client.act(server, {"os-getConsoleOutput": {"length": length}}, version)
    assert answer.status == 200, answer.body
    return answer.json["output"]


def ticks(client, server):
    return [int(line.rpartition(" ")[2]) for line in read(client, server).splitlines() if "tick " in line]


@pytest.fixture
def made(live, admin):
    """Makes a server whose guest is told to tick, and returns its id while it is scheduled."""
    image = admin.send("GET", "/image/v2/images?name=cirros-kvm").json["images"][0]["id"]
    disk = {"boot_index": 0, "uuid": image, "source_type": "image", "destination_type": "volume", "volume_size": 1}

    def make(**more):
        body = {"name": "told", "flavorRef": "1", "block_device_mapping_v2": [disk], "networks": "none",
                "availability_zone": "nova:node-1", "user_data": USER_DATA, "config_drive": True, **more}  # fmt: skip
        return admin.nova("POST", "/servers", {"server": body}).json["server"]["id"]

    return make


@pytest.fixture
def told(live, made):
    """A server that ticks."""
    server = made()
    live.advance(60)
    return server


@pytest.mark.parametrize("version", ["2.1", "2.90", "2.95"])
def test_the_console_ends_with_the_prompt_of_the_server(live, admin, version):
    live.advance(30)
    assert read(admin, live.server_id("vm-1"), 11, version).endswith("vm-1 login: ")


@pytest.mark.parametrize("length", [None, -1, 0, 2, "2", "-1", 10**6])
def test_lengths_that_are_taken(live, admin, length):
    live.advance(30)
    every = read(admin, live.server_id("vm-1")).split("\n")
    expected = {0: [], 2: every[-2:], -1: every[1:], 10**6: every}[int(length)] if length is not None else every
    assert read(admin, live.server_id("vm-1"), length) == "\n".join(expected)


def test_the_length_may_be_left_out(live, admin):
    assert admin.act(live.server_id("vm-1"), {"os-getConsoleOutput": {}}).status == 200


@pytest.mark.parametrize(
    ("argument", "why"),
    [
        (None, "None is not of type 'object'"),
        ({"length": -2}, "-2 is less than the minimum of -1"),
        ({"length": 1.5}, "1.5 is not of type 'integer', 'string', 'null'"),
        ({"length": True}, "True is not of type 'integer', 'string', 'null'"),
        ({"length": "ten"}, "'ten' does not match '^-?[0-9]+$'"),
        ({"lines": 1}, "Additional properties are not allowed ('lines' was unexpected)"),
    ],
)
def test_what_is_no_length_is_refused(live, admin, argument, why):
    answer = admin.act(live.server_id("vm-1"), {"os-getConsoleOutput": argument})
    assert (answer.status, why in answer.json["badRequest"]["message"]) == (400, True), answer.body


def test_others_are_not_shown_it(live, demo):
    assert demo.act(live.server_id("local"), {"os-getConsoleOutput": {}}).status == 404
    reader = live.client("manager", "demo")
    assert reader.act(live.server_id("vm-1"), {"os-getConsoleOutput": {}}).status == 200


def test_a_server_without_a_host_is_not_ready_and_one_that_is_spawned_has_no_domain(live, admin, made):
    server = made()
    answer = admin.act(server, {"os-getConsoleOutput": {}})
    assert (answer.status, answer.json["conflictingRequest"]["message"]) == (409, f"Instance {server} is not ready")
    while admin.nova("GET", f"/servers/{server}").json["server"]["OS-EXT-STS:task_state"] != "spawning":
        live.advance(0.25)
    answer = admin.act(server, {"os-getConsoleOutput": {}})
    assert (answer.status, answer.json["itemNotFound"]["message"]) == (404, f"Instance {server} could not be found.")


def test_a_server_that_is_unknown_has_none(admin):
    assert admin.act("11111111-1111-1111-1111-111111111111", {"os-getConsoleOutput": {}}).status == 404


def test_a_driver_without_consoles():
    with LiveCloud(SHAPE.model_copy(update={"nova": NovaOptions(console_output=False)})) as live:
        answer = live.client().act(live.server_id("vm-1"), {"os-getConsoleOutput": {}})
        assert answer.status == 501
        assert answer.json["notImplemented"]["message"] == "The requested functionality is not supported."


def test_bytes_that_are_no_text_are_replaced_and_control_characters_left_out(live, admin):
    server = live.server_id("vm-1")
    console = live.cloud.guests.machine(server).console
    live.call(console.clear)
    live.call(console.write, b"a\x1b[1mb\r\n\tc\xc3\xa9\n")
    assert read(admin, server) == "a[1mb\n\tc\ufffd\ufffd\n"


def test_no_more_than_the_newest_100_kib_are_shown(live, admin):
    server = live.server_id("vm-1")
    live.call(live.cloud.guests.machine(server).console.write, b"x" * 10**6 + b"\nend")
    output = read(admin, server)
    assert (len(output), output[-4:]) == (102400, "\nend")


def test_a_script_of_the_user_data_is_heard(live, admin, told):
    first = ticks(admin, told)
    live.advance(5)
    assert ticks(admin, told) == list(range(1, first[-1] + 6))
    assert admin.nova("GET", f"/servers/{told}").json["server"]["config_drive"] == "True"


def test_without_network_and_drive_no_user_data_reaches_a_guest(live, admin, made):
    server = made(config_drive=False)
    live.advance(60)
    assert ticks(admin, server) == []
    assert admin.nova("GET", f"/servers/{server}").json["server"]["config_drive"] == ""


def test_a_live_migration_begins_the_log_anew_and_the_guest_goes_on(live, admin, told):
    before = ticks(admin, told)
    boot = live.cloud.guests.machine(told).boot_id
    admin.act(told, LIVE)
    live.advance(60)
    assert admin.nova("GET", f"/servers/{told}").json["server"]["OS-EXT-SRV-ATTR:host"] != "node-1"
    after = ticks(admin, told)
    assert after[0] > before[-1] + 1  # what was written at the source since is lost with the source's file
    assert after == list(range(after[0], after[-1] + 1))
    assert "login:" not in read(admin, told)
    assert live.cloud.guests.machine(told).boot_id == boot


def test_until_it_has_arrived_the_log_is_the_sources(live, admin, told):
    admin.act(told, LIVE)
    while admin.nova("GET", f"/servers/{told}").json["server"]["status"] == "MIGRATING":
        assert ticks(admin, told)[0] == 1
        live.advance(0.5)
    assert 1 not in ticks(admin, told)


@pytest.mark.parametrize("kind", ["SOFT", "HARD"])
def test_a_reboot_begins_the_log_anew_and_runs_no_user_data_again(live, admin, told, kind):
    boot = live.cloud.guests.machine(told).boot_id
    admin.act(told, {"reboot": {"type": kind}})
    live.advance(60)
    assert ticks(admin, told) == []
    assert read(admin, told).count("login:") == 1
    assert live.cloud.guests.machine(told).boot_id != boot


def test_what_is_off_keeps_its_log_until_it_is_on_again(live, admin, told):
    admin.act(told, {"os-stop": None})
    live.advance(30)
    assert ticks(admin, told)[0] == 1
    admin.act(told, {"os-start": None})
    live.advance(60)
    assert ticks(admin, told) == []


def test_what_is_paused_goes_on_in_the_same_log(live, admin, told):
    admin.act(told, {"pause": None})
    live.advance(30)
    stood = ticks(admin, told)
    admin.act(told, {"unpause": None})
    live.advance(30)
    assert ticks(admin, told)[: len(stood) + 5] == list(range(1, len(stood) + 6))


def test_after_a_resume_from_disk_the_guest_goes_on_in_a_new_log(live, admin, told):
    stood = ticks(admin, told)
    admin.act(told, {"suspend": None})
    live.advance(30)
    admin.act(told, {"resume": None})
    live.advance(30)
    assert ticks(admin, told)[0] > stood[-1]


def test_after_post_copy_the_target_has_what_was_written_there():
    bed = Bed(1, live_migration_permit_post_copy=True, shape={"migration_bandwidth": 64 * 2**20})
    guests, server = bed.cloud.guests, next(bed.cloud.state.servers())
    console = guests.machine(server.id).console
    console.clear()
    console.write(b"at the source")
    guests.switch(server.id)
    console.write(b"at the target")
    assert guests.console(server.id) == b"at the source"
    bed.cloud.state.change_server(server.id, {"host": "node-2", "node": "node-2"})
    assert guests.console(server.id) == b"at the target"
