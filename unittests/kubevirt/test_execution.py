"""A command in a pod gives its output, its failure says why, and its connection is closed either way."""

import gc
import json
from types import SimpleNamespace

import pytest
from kubernetes.client import ApiClient, Configuration

from utilities.errors import ApiError, SiteError
from utilities.kubevirt.execution import output_of

from ..guest.gateway import CLOSE, StubGateway

OUTPUT, ERRORS, STATUS = b"\x01", b"\x02", b"\x03"
SUCCESS = json.dumps({"status": "Success"}).encode()
FAILURE = json.dumps({"status": "Failure", "message": "command terminated with non-zero exit code"}).encode()


@pytest.fixture
def run(tmp_path):
    """Runs a command against a server that sends these frames and closes."""

    def ask(*frames, refusal=None):
        def serve(connection):
            for data in frames:
                connection.send(data)
            connection.send((1000).to_bytes(2, "big"), CLOSE)
            connection.receive()

        with StubGateway(tmp_path, serve) as stub:
            stub.refusal = refusal
            configuration = Configuration(host=stub.gateway.url)
            configuration.ssl_ca_cert = stub.gateway.ca_file
            with ApiClient(configuration) as client:
                cluster = SimpleNamespace(url=stub.gateway.url, dynamic=SimpleNamespace(client=client))
                try:
                    return output_of(cluster, "qa", "launcher", "compute", ["virsh", "list"]), stub.requests[0][0]
                finally:
                    client.rest_client.pool_manager.clear()
                    gc.collect()  # an unclosed socket would be a warning here, and warnings are errors

    return ask


def test_output_in_pieces_is_one(run):
    output, request = run(OUTPUT + b"one\n", ERRORS + b"ignored", OUTPUT + b"two\n", STATUS + SUCCESS)
    assert output == "one\ntwo\n"
    assert "/namespaces/qa/pods/launcher/exec?" in request
    assert "command=virsh&command=list&container=compute" in request


def test_no_output_is_no_error(run):
    assert run(STATUS + SUCCESS)[0] == ""


def test_a_failed_command_says_where_and_why(run):
    where = "'virsh list' in container compute of pod qa/launcher"
    with pytest.raises(SiteError, match=f"{where}: command terminated with non-zero exit code: no such domain"):
        run(ERRORS + b"no such domain\n", STATUS + FAILURE)


@pytest.mark.parametrize("frames", [(), (OUTPUT + b"half",), (STATUS + b"{",)])
def test_a_command_whose_end_was_never_told_has_no_output(run, frames):
    with pytest.raises(SiteError, match="ended without a status"):
        run(*frames)


def test_a_refusal_is_the_servers(run):
    with pytest.raises(ApiError, match="409"):
        run(refusal=(409, {"message": "pod does not have a host assigned"}))
