"""One server per module; a client for each kind of user; a fresh namespace per test."""

import itertools
import ssl

import pytest

from unittests.apiserver_http.labserver import ADMIN, TESTER, LabServer
from unittests.apiserver_http.wire import Client

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def server():
    with LabServer() as running:
        yield running


@pytest.fixture(scope="module")
def context(server) -> ssl.SSLContext:
    """TLS as strict as Python 3.13 is by default."""
    context = ssl.create_default_context(cadata=server.front.authority.pem.decode())
    context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def _client(server, context, token):
    client = Client(server.port, context, token)
    yield client
    client.close()


@pytest.fixture(scope="module")
def admin(server, context):
    yield from _client(server, context, ADMIN)


@pytest.fixture(scope="module")
def tester(server, context):
    """A user without any role of his own."""
    yield from _client(server, context, TESTER)


@pytest.fixture(scope="module")
def anonymous(server, context):
    yield from _client(server, context, None)


@pytest.fixture
def namespace(admin) -> str:
    """A namespace of this test's own."""
    name = f"t{next(_NUMBERS)}"
    answer = admin.post("/api/v1/namespaces", {"metadata": {"name": name}})
    assert answer.status == 201, answer.body
    return name


@pytest.fixture
def maps(namespace) -> str:
    """The path of the ConfigMaps of this test's namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"
