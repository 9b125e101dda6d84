"""The tunnel carries bytes both ways, and nobody who closes or sends waits for a silent server."""

import gc
import threading
from types import SimpleNamespace

import pytest

from utilities.errors import GuestError
from utilities.guest.tunnel import Gateway

from .gateway import BINARY, CLOSE, PING, PONG, TEXT, Frames, frame


def echo(frames: Frames) -> None:
    while (received := frames.receive())[0] != CLOSE:
        if received[0] == BINARY:
            frames.send(received[1])


def silent(frames: Frames) -> None:
    while frames.receive()[0] != CLOSE:
        pass


def opened(stub, timeout=20):
    return stub.gateway.open("qa", "a", 22, timeout)


def everything(tunnel, size):
    received = b""
    while len(received) < size:
        received += tunnel.recv(size)
    return received


def test_bytes_go_both_ways_in_any_portions(gateway_that):
    tunnel = opened(gateway_that(echo))
    assert tunnel.send(b"hello") == 5
    assert [tunnel.recv(2), tunnel.recv(2), tunnel.recv(2)] == [b"he", b"ll", b"o"]
    tunnel.close()


def test_much_data_arrives_whole(gateway_that):
    tunnel = opened(gateway_that(echo))
    data = bytes(range(256)) * 128
    tunnel.send(data)
    assert everything(tunnel, len(data)) == data
    tunnel.close()


def test_the_request_is_what_the_product_expects(gateway_that):
    stub = gateway_that(silent)
    opened(stub).close()
    (lines,) = stub.requests
    path = "/apis/subresources.kubevirt.io/v1/namespaces/qa/virtualmachineinstances/a/portforward/22/tcp"
    assert lines[0] == f"GET {path} HTTP/1.1"
    assert "Authorization: Bearer a-token" in lines
    assert "Sec-WebSocket-Protocol: plain.kubevirt.io" in lines


def test_pings_of_an_idle_server_are_answered_and_are_no_data(gateway_that):
    answered = threading.Event()

    def pinging(frames):
        frames.send(b"keep alive", PING)
        while (received := frames.receive())[0] != CLOSE:
            if received == (PONG, b"keep alive"):
                answered.set()
                frames.send(b"at last")

    tunnel = opened(gateway_that(pinging))
    assert tunnel.recv(100) == b"at last"
    assert answered.is_set()
    tunnel.close()


def test_pings_do_not_extend_the_wait_for_data(gateway_that):
    def pinging_for_ever(frames):
        frames.send(b"keep alive", PING)
        while frames.receive()[0] == PONG:
            frames.send(b"keep alive", PING)

    tunnel = opened(gateway_that(pinging_for_ever))
    tunnel.settimeout(0.05)
    with pytest.raises(TimeoutError):
        tunnel.recv(1)
    tunnel.close()


@pytest.mark.parametrize("begun", [b"", frame(b"hello")[:3], frame(b"x" * 300)[:2]], ids=["nothing", "data", "length"])
@pytest.mark.parametrize("timeout", [None, 0.1])
def test_closing_does_not_wait_for_a_reader(gateway_that, begun, timeout):
    """Not even for one that holds the beginning of a frame whose rest never comes."""
    reading = threading.Event()

    def half(frames):
        frames.raw(frame(b"first") + begun)
        silent(frames)

    tunnel = opened(gateway_that(half), timeout=600)
    tunnel.settimeout(timeout)
    ends = []

    def read():
        while True:
            try:
                data = tunnel.recv(100)
            except TimeoutError:
                continue
            reading.set()
            if not data:
                ends.append(data)
                return

    reader = threading.Thread(target=read)
    reader.start()
    assert reading.wait(20)
    tunnel.close()
    reader.join(20)
    assert ends == [b""]


def test_sending_does_not_wait_for_a_reader(gateway_that):
    def half_then_echo(frames):
        frames.raw(frame(b"hello")[:3])
        _, data = frames.receive()
        frames.raw(frame(b"hello")[3:])
        frames.send(data)

    tunnel = opened(gateway_that(half_then_echo), timeout=600)
    received = []
    reader = threading.Thread(target=lambda: received.append(everything(tunnel, 10)))
    reader.start()
    tunnel.send(b"world")
    reader.join(20)
    assert received == [b"helloworld"]
    tunnel.close()


def test_the_end_is_the_end(gateway_that):
    tunnel = opened(gateway_that(lambda frames: frames.send(b"", CLOSE)))
    assert tunnel.recv(1) == b""
    tunnel.close()
    tunnel.close()
    assert tunnel.recv(1) == b""
    with pytest.raises(OSError, match="closed"):
        tunnel.send(b"x")


def test_a_connection_that_breaks_ends(gateway_that):
    stub = gateway_that(silent)
    tunnel = opened(stub)
    stub.drop()
    assert tunnel.recv(1) == b""
    tunnel.close()


def test_text_is_no_data(gateway_that):
    def talk(frames):
        frames.send(b"some words", TEXT)
        frames.send(b"data")

    tunnel = opened(gateway_that(talk))
    assert tunnel.recv(100) == b"data"
    tunnel.close()


def test_a_refusal_names_the_machine_and_leaves_nothing_open(gateway_that):
    stub = gateway_that(silent)
    stub.refusal = (409, {"message": "VMI is paused"})
    with pytest.raises(GuestError, match=r"no tunnel to port 22 of VMI qa/a: .*409.*VMI is paused"):
        opened(stub)
    gc.collect()  # an unclosed socket would be a warning here, and warnings are errors


def test_a_server_that_nobody_trusts_is_refused(gateway_that, tmp_path):
    stub = gateway_that(silent)
    untrusting = Gateway(stub.gateway.url, "a-token", None)
    with pytest.raises(GuestError, match="certificate verify failed"):
        untrusting.open("qa", "a", 22, 20)
    gc.collect()


@pytest.mark.parametrize(
    ("authorization", "files", "token", "certificate"),
    [
        ("Bearer abc", (None, None), "abc", None),
        ("abc", ("c.pem", "k.pem"), "abc", ("c.pem", "k.pem")),
        (None, ("c.pem", "k.pem"), None, ("c.pem", "k.pem")),
        (None, ("c.pem", None), None, None),
    ],
)
def test_credentials_are_the_connections(authorization, files, token, certificate):
    configuration = SimpleNamespace(
        get_api_key_with_prefix=lambda name: authorization, cert_file=files[0], key_file=files[1], ssl_ca_cert="ca.pem"
    )
    dynamic = SimpleNamespace(client=SimpleNamespace(configuration=configuration))
    gateway = Gateway.of(SimpleNamespace(url="https://a:1", dynamic=dynamic))
    assert (gateway.url, gateway.ca_file) == ("https://a:1", "ca.pem")
    assert (gateway.token, gateway.certificate) == (token, certificate)


def test_a_token_is_not_shown():
    assert "secret" not in repr(Gateway("https://a", "secret", None))
