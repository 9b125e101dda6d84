"""The server as a whole: where it listens, how it stops, and what it does about clients that leave."""

import asyncio
import logging
import random
import ssl
import stat

import pytest
import yaml

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import BUILTIN, LEASE
from lab.apiserver.certificates import Authority
from lab.apiserver.http.front import Front
from lab.apiserver.kubeconfig import kubeconfig, write_kubeconfig
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.strategies import Strategies
from lab.clock import ManualClock
from unittests.apiserver_http.labserver import ADMIN, LabServer
from unittests.apiserver_http.vms import Machines
from unittests.apiserver_http.wire import Client

LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


def strict(server: LabServer) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=server.front.authority.pem.decode())


def test_a_stop_ends_watches_cleanly_and_drops_the_rest():
    machines = Machines()
    with LabServer(lambda server: server.front.aggregated.append(machines.group)) as server:
        client = Client(server.port, strict(server), ADMIN)
        watching = client.watch(f"{LEASES}?watch=true&resourceVersion=1")
        events = watching.__enter__()
        path = "/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/x/portforward/22"
        tunnel = client.upgrade(path, "plain.kubevirt.io")
        assert (events.status, tunnel.status) == (200, 101)
    assert events.rest() == []  # a terminating chunk; a broken stream would raise
    watching.__exit__(None, None, None)
    with tunnel, pytest.raises((AssertionError, OSError)):
        tunnel.frame()
    client.close()


def test_clients_that_leave_are_no_errors(caplog):
    with caplog.at_level(logging.WARNING), LabServer() as server:
        client = Client(server.port, strict(server), ADMIN)
        for _ in range(5):
            with client.watch(f"{LEASES}?watch=true"):
                pass
            client.post(LEASES, {"metadata": {"generateName": "l-"}})
        client.close()
    assert caplog.records == []


def test_a_slow_reader_is_dropped_and_nobody_else():
    def flood() -> None:
        for number in range(30_000):
            server.api.store.put(LEASE.key, {"metadata": {"name": "l", "namespace": "default"}, "n": number})

    with LabServer() as server:
        client = Client(server.port, strict(server), ADMIN)
        with client.watch(f"{LEASES}?watch=true&resourceVersion={server.api.store.revision}") as slow:
            server.call(flood)
            with pytest.raises((AssertionError, OSError)):
                slow.take(30_000)
        assert client.get(f"{LEASES}/l").json["n"] == 29_999
        client.close()


def bare_front() -> Front:
    api = Api(Store(), ManualClock(), Catalogue(BUILTIN), Admission(), Strategies(), random.Random(1))
    return Front(api)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "::"])  # noqa: S104  refused, that is the point
def test_only_the_loopback_is_bound(host):
    with pytest.raises(ValueError, match="loopback addresses only"):
        asyncio.run(bare_front().start(host=host))


def test_certificates_pass_the_strict_verification():
    authority = Authority()
    context = authority.server_context()
    assert context.verify_mode is ssl.CERT_OPTIONAL
    trusting = ssl.create_default_context(cadata=authority.pem.decode())
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(incoming, outgoing, server_side=True)
    client = trusting.wrap_bio(outgoing, incoming, server_hostname="localhost")
    for _ in range(4):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    assert client.selected_alpn_protocol() is None
    assert client.cipher()[0].startswith("TLS_")


def test_a_kubeconfig_is_for_its_owner_only(tmp_path):
    pair = Authority().client("carol", ["team"])
    document = kubeconfig("https://127.0.0.1:1", b"PEM", user="carol", certificate=pair, namespace="qa")
    path = write_kubeconfig(tmp_path / "kubeconfig", document)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = yaml.safe_load(path.read_text())
    assert read["contexts"][0]["context"] == {"cluster": "lab", "user": "carol", "namespace": "qa"}
    assert read["users"][0]["user"].keys() == {"client-certificate-data", "client-key-data"}


def test_health_before_it_is_ready():
    with LabServer() as server:
        client = Client(server.port, strict(server), None)
        server.front.ready = False
        assert client.get("/readyz").status == 500
        server.front.ready = True
        assert client.get("/readyz").body == b"ok"
        client.close()
