"""Conformance checks about websockets and the groups others serve (sheet §7, §9)."""

import json
from urllib.parse import quote_plus

import pytest

from unittests.apiserver_http.vms import Machines

V4, V5 = "v4.channel.k8s.io", "v5.channel.k8s.io"
VMS = "/apis/subresources.kubevirt.io/v1/namespaces"


@pytest.fixture
def pod(admin, namespace) -> str:
    """The path of a running pod with one container."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]}
    assert admin.post(path, {"metadata": {"name": "p"}, "spec": spec}).status == 201
    return f"{path}/p"


@pytest.fixture
def machines(server, namespace):
    served = Machines()
    server.call(server.front.aggregated.append, served.group)
    yield f"{VMS}/{namespace}"
    server.call(server.front.aggregated.remove, served.group)


def command(*words: str, **flags: str) -> str:
    texts = [*(f"command={quote_plus(word)}" for word in words), "stdout=True", "stderr=True",
             *(f"{name}={value}" for name, value in flags.items())]  # fmt: skip
    return "&".join(texts)


def by_channel(frames) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for frame in frames:
        if frame.opcode == 2:
            found[frame.payload[0]] = found.get(frame.payload[0], b"") + frame.payload[1:]
    return found


def test_check_27_exec_v4_each_frame_in_its_own_record(admin, pod):
    with admin.upgrade(f"{pod}/exec?{command('sh', '-c', 'echo out; echo err >&2')}", V4) as socket:
        assert (socket.status, socket.headers["sec-websocket-protocol"]) == (101, V4)
        frames = socket.frames()
    assert all(frame.alone for frame in frames)
    channels = by_channel(frames)
    assert (channels[1], channels[2]) == (b"out\n", b"err\n")
    assert json.loads(channels[3]) == {"metadata": {}, "status": "Success"}
    assert frames[-2].payload[0] == 3
    assert (frames[-1].opcode, frames[-1].code) == (8, 1000)


def test_check_28_exec_v5_ends_stdin_by_a_close_frame(admin, pod):
    with admin.upgrade(f"{pod}/exec?{command('cat', stdin='true')}", V5) as socket:
        assert socket.headers["sec-websocket-protocol"] == V5
        socket.send(b"\x00hello ")
        socket.send(b"\x00world", opcode=1)
        socket.send(b"\xff\x00")
        channels = by_channel(socket.frames())
    assert channels[1] == b"hello world"
    assert json.loads(channels[3])["status"] == "Success"


def test_check_28_exec_tells_a_non_zero_exit(admin, pod):
    with admin.upgrade(f"{pod}/exec?{command('sh', '-c', 'exit 3')}", V5) as socket:
        failure = json.loads(by_channel(socket.frames())[3])
    assert (failure["status"], failure["reason"]) == ("Failure", "NonZeroExitCode")
    assert failure["details"]["causes"] == [{"reason": "ExitCode", "message": "3"}]
    assert failure["message"].startswith("command terminated with non-zero exit code: ")


def test_exec_splits_large_output_between_characters(admin, pod):
    script = "i=0; while [ $i -lt 9000 ]; do echo äöü; i=$((i+1)); done"
    with admin.upgrade(f"{pod}/exec?{command('sh', '-c', script)}", V4) as socket:
        frames = socket.frames()
    output = [frame.payload[1:] for frame in frames if frame.opcode == 2 and frame.payload[0] == 1]
    assert "".join(part.decode() for part in output) == "äöü\n" * 9000
    assert all(frame.alone for frame in frames)


def test_attach_joins_the_main_process(admin, pod):
    with admin.upgrade(f"{pod}/attach?stdin=true&stdout=true", V5) as socket:
        socket.send(b"\x00x")
        assert socket.data() == b"\x01x"


@pytest.mark.parametrize(
    ("path", "protocols", "status", "text"),
    [
        ("none/exec?command=cat&stdout=true", V5, 404, 'pods "none" not found'),
        ("p/exec?command=cat&stdout=true&container=z", V5, 400, "container z is not valid for pod p"),
        ("p/exec?command=cat", V5, 400, "you must specify at least 1 of stdin, stdout, stderr"),
        ("p/exec?stdout=true", V5, 400, "you must specify at least 1 command for the container"),
        ("p/exec?command=reboot&stdout=true", V5, 500, "executable file not found"),
        ("p/exec?command=cat&stdout=true", "channel.k8s.io", 400, "no subprotocol in common"),
        ("p/portforward?ports=ssh", V4, 400, "unable to parse 'ssh' as a port"),
        ("p/portforward?ports=22", "SPDY/3.1+portforward.k8s.io", 400, "Upgrade request required"),
    ],
)
def test_refusals_come_before_the_upgrade(admin, pod, path, protocols, status, text):
    with admin.upgrade(f"{pod.removesuffix('/p')}/{path}", protocols) as socket:
        assert socket.status == status
        assert text in socket.json["message"]


def test_check_29_portforward_announces_its_channels(admin, pod):
    with admin.upgrade(f"{pod}/portforward?ports=8080%2C22", f"{V5},{V4}") as socket:
        assert socket.headers["sec-websocket-protocol"] == V4
        assert [socket.data() for _ in range(4)] == [
            bytes([0, 0x90, 0x1F]), bytes([1, 0x90, 0x1F]), bytes([2, 22, 0]), bytes([3, 22, 0]),
        ]  # fmt: skip
        socket.send(b"\x00first")
        assert socket.data() == b"\x00first"
        socket.send(b"\x02second")
        assert socket.data() == b"\x02second"


def test_portforward_reports_a_port_where_nobody_listens(admin, pod):
    with admin.upgrade(f"{pod}/portforward?ports=1", V4) as socket:
        frames = socket.frames()
    assert frames[2].payload == b"\x01error forwarding port 1: connection refused"
    assert frames[-1].code == 1000


def test_check_30_kubevirt_portforward_is_plain(admin, machines):
    path = f"{machines}/virtualmachineinstances"
    with admin.upgrade(f"{path}/x/portforward/22/tcp", "plain.kubevirt.io") as socket:
        assert (socket.status, socket.headers["sec-websocket-protocol"]) == (101, "plain.kubevirt.io")
        socket.send(bytes(range(100)))
        assert socket.data() == bytes(range(100))
    with admin.upgrade(f"{path}/x/portforward/22") as socket:
        assert socket.status == 101
        assert "sec-websocket-protocol" not in socket.headers
    with admin.upgrade(f"{path}/none/portforward/22", "plain.kubevirt.io") as socket:
        assert (socket.status, socket.json["reason"]) == (404, "NotFound")
        assert socket.headers["content-type"] == "application/json"
    with admin.upgrade(f"{path}/x/portforward/23", "plain.kubevirt.io") as socket:
        assert socket.status == 500


def test_check_31_start_a_machine(admin, machines):
    path = f"{machines}/virtualmachines/x/start"
    answer = admin.send("PUT", path, kind="application/json")
    assert (answer.status, answer.body) == (202, b"")
    again = admin.send("PUT", path, kind="application/json")
    assert (again.status, again.json["reason"]) == (409, "Conflict")
    assert again.json["message"].endswith('"x": VM is already running')
    assert admin.get(path).status == 405
    assert admin.send("PUT", f"{machines}/virtualmachines/x/explode").status == 404


def test_groups_of_others_are_discovered_by_subresource_only(admin, machines):
    names = [group["name"] for group in admin.get("/apis").json["groups"]]
    assert "subresources.kubevirt.io" in names
    entries = admin.get("/apis/subresources.kubevirt.io/v1").json["resources"]
    names = {"virtualmachines/start", "virtualmachines/stop", "virtualmachineinstances/portforward"}
    assert {entry["name"] for entry in entries} == names
    assert {entry["kind"] for entry in entries} == {""}
    assert admin.get("/apis/subresources.kubevirt.io/v1alpha3").status == 200


def test_logs(admin, pod):
    assert admin.get(f"{pod}/log").body == b"one\ntwo\n"
    assert admin.get(f"{pod}/log").headers["content-type"].startswith("text/plain")
    assert admin.get(f"{pod}/log?tailLines=1").body == b"two\n"
    assert admin.get(f"{pod}/log?sinceSeconds=60").body == b"two\n"
    assert admin.get(f"{pod}/log?limitBytes=2").body == b"on"
    assert admin.get(f"{pod}/log?timestamps=true&tailLines=2").body.startswith(b"2026-01-01T00:00:00.000000Z one\n")
    followed = admin.get(f"{pod}/log?follow=true&tailLines=1")
    assert (followed.body, followed.headers["transfer-encoding"]) == (b"two\nthree\n", "chunked")
    assert admin.get(f"{pod}/log?container=z").json["message"] == "container z is not valid for pod p"
    assert admin.get(f"{pod}/log?tailLines=-1").status == 422


def test_the_log_of_a_container_between_two_starts_is_that_of_the_last_one(admin, pod):
    def state(**last):
        waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
        told = {"name": "c", "image": "i", "imageID": "", "ready": False, "restartCount": 0, "state": waiting, **last}
        return admin.patch(f"{pod}/status", {"status": {"containerStatuses": [told]}})

    assert state().status == 200
    assert admin.get(f"{pod}/log").json["message"] == 'container "c" in pod "p" is waiting to start: CrashLoopBackOff'
    assert state(lastState={"terminated": {"exitCode": 1}}).status == 200
    assert admin.get(f"{pod}/log").body == b"one\ntwo\n"


def test_logs_of_several_containers_need_a_name(admin, namespace):
    path = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "i"}]}
    assert admin.post(path, {"metadata": {"name": "two"}, "spec": spec}).status == 201
    message = "a container name must be specified for pod two, choose one of: [a b]"
    assert admin.get(f"{path}/two/log").json["message"] == message
    assert admin.get(f"{path}/two/log?container=a").body == b""  # not scheduled yet
