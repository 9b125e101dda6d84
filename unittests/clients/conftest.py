"""The stub server of the watching tests, over plain HTTP and over TLS with a kubeconfig."""

import pytest
import urllib3
import yaml

from utilities.clients import Rest
from utilities.site import Access

from ..watching.stub import StubApi, server_tls


@pytest.fixture
def api():
    with StubApi() as server:
        yield server


@pytest.fixture
def rest(api):
    pool = urllib3.PoolManager()
    yield Rest(api.url, pool, lambda: {"Authorization": "Bearer t"}, timeout=10)
    pool.clear()


@pytest.fixture
def tls_api(tmp_path):
    with StubApi(server_tls(tmp_path)) as server:
        server.documents["/apis"] = {"kind": "APIGroupList", "groups": []}
        yield server


@pytest.fixture
def kubeconfig(tls_api, tmp_path):
    """Writes a kubeconfig for the TLS server; `changed` replaces parts of its only cluster."""

    def write(**changed) -> Access:
        cluster = {"server": tls_api.url, "certificate-authority": str(tmp_path / "ca.pem")} | changed
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "clusters": [{"name": "k", "cluster": {k: v for k, v in cluster.items() if v is not None}}],
            "users": [{"name": "u", "user": {"token": "secret-token"}}],
        }
        path = tmp_path / "kubeconfig"
        path.write_text(yaml.safe_dump(document))
        return Access(kubeconfig=path)

    return write
