"""Commands over SSH: what they give, what is said when they fail, and whose guest it must be."""

import io

import paramiko
import pytest
import yaml
from tenacity import stop_after_attempt

from utilities.errors import GuestError
from utilities.guest import GuestKey, GuestShell

from .gateway import SshServer

KEY = GuestKey.generate("fedora")
WITHIN = 20


@pytest.fixture(scope="module")
def host_keys():
    return [paramiko.RSAKey.generate(2048) for _ in range(2)]


@pytest.fixture
def server(host_keys):
    return SshServer(host_key=host_keys[0], known={KEY.private.get_base64()})


@pytest.fixture
def shell(server, gateway_that):
    with GuestShell(gateway_that(server.serve).gateway, "qa", "a", KEY, WITHIN) as opened:
        yield opened


def test_output_comes_without_its_last_newline(server, shell):
    server.answers["date"] = (0, "gr\u00fc\u00dfe\n\n".encode(), b"ignored")
    assert shell.run("date") == "gr\u00fc\u00dfe\n"


def test_input_is_handed_over(server, shell):
    server.answers["cat"] = (0, b"", b"")
    assert shell.run("cat", stdin="some words") == ""
    assert server.received["cat"] == b"some words"


def test_a_failed_command_says_which_and_why(server, shell):
    server.answers["false"] = (3, b"output\n", b"it is broken\n")
    server.answers["silent"] = (4, b"output only\n", b"")
    with pytest.raises(GuestError, match="guest of VMI qa/a: 'false' ended with status 3: it is broken"):
        shell.run("false")
    with pytest.raises(GuestError, match="'silent' ended with status 4: output only"):
        shell.run("silent")


def test_only_the_tail_of_much_output_is_repeated(server, shell):
    server.answers["long"] = (1, b"", b"x" * 5000 + b" the end")
    with pytest.raises(GuestError) as failed:
        shell.run("long")
    assert failed.value.what.endswith("x the end")
    assert len(failed.value.what) < 500


def test_a_command_that_is_cut_off_says_so_and_the_next_one_connects_anew(server, shell):
    server.hang_up_on = "reboot"
    server.answers["true"] = (0, b"", b"")
    with pytest.raises(GuestError, match="'reboot' was cut off"):
        shell.run("reboot")
    assert shell.run("true") == ""


def test_the_same_guest_is_recognised_after_a_move(server, shell):
    server.answers["true"] = (0, b"", b"")
    shell.run("true")
    shell.reconnect()
    assert shell.run("true") == ""


def test_another_host_key_is_another_guest(server, shell, host_keys):
    server.answers["true"] = (0, b"", b"")
    shell.run("true")
    shell.reconnect()
    server.host_key = host_keys[1]
    with pytest.raises(GuestError, match="another host key than at first contact"):
        shell.run("true")
    server.host_key = host_keys[0]
    assert shell.run("true") == ""  # the first key stays the pinned one


@pytest.mark.parametrize(
    ("refusal", "reason"), [((409, {"message": "VMI is not running"}), "VMI is not running"), (None, "Authentication")]
)
def test_a_guest_that_lets_nobody_in_is_named(server, gateway_that, monkeypatch, refusal, reason):
    monkeypatch.setattr("utilities.guest.shell.stop_after_delay", lambda _: stop_after_attempt(2))
    stub = gateway_that(server.serve)
    stub.refusal = refusal
    server.known.clear()
    message = rf"qa/a did not answer on SSH within \d+ s: .*{reason}"
    with GuestShell(stub.gateway, "qa", "a", KEY, WITHIN) as shell, pytest.raises(GuestError, match=message) as failed:
        shell.run("true")
    assert "sshd" in failed.value.next_step
    assert len(stub.requests) == 2


def test_cloud_init_gets_the_public_half_only():
    text = KEY.cloud_config()
    document = yaml.safe_load(text)
    private = io.StringIO()
    assert text.startswith("#cloud-config\n")
    assert document["user"] == "fedora"
    assert document["ssh_pwauth"] is False
    assert document["ssh_authorized_keys"] == [f"ssh-ed25519 {KEY.private.get_base64()}"]
    assert "PRIVATE" not in text
    assert "private" not in repr(KEY)
    private.close()
