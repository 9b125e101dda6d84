"""Connections by kubeconfig: TLS, tokens, the wrapper's client, and what is said when it does not work."""

import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ResourceNotFoundError

from utilities.clients import PODS, connect, connected, translated
from utilities.errors import Conflict, NotFound, SiteError, Unreachable
from utilities.site import Access, Gpu, KubernetesSite, Site, UnprivilegedAccess


def opened(access: Access, **more):
    return closing(connect(access, KubernetesSite(kubeconfig=access.kubeconfig, **more)))


def test_requests_carry_the_token_and_trust_the_authority(tls_api, kubeconfig):
    tls_api.put("/api/v1/namespaces/qa/pods", "a")
    with opened(kubeconfig()) as cluster:
        assert cluster.version == "v1.36.0"
        assert cluster.rest.get(PODS, "a", "qa")["metadata"]["name"] == "a"

    assert tls_api.requests[-1][2]["headers"]["Authorization"] == "Bearer secret-token"


def test_proxies_of_the_environment_are_ignored(kubeconfig, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")

    with opened(kubeconfig()) as cluster:
        assert cluster.version == "v1.36.0"


def test_a_proxy_of_the_site_is_used(kubeconfig):
    with opened(kubeconfig(), proxy="http://127.0.0.1:9") as cluster, pytest.raises(Unreachable, match="proxy"):
        _ = cluster.version


def test_discovery_is_cached_in_a_place_of_its_own(tls_api, kubeconfig, monkeypatch, tmp_path):
    """Trap T16: the library's own cache is found by the next cluster at the same port."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with opened(kubeconfig()) as cluster:
        assert cluster.dynamic.configuration.host == tls_api.url
        assert cluster.dynamic is cluster.dynamic
        assert [path.name for path in temporary.glob("*/*")] == ["discovery.json"]
        assert not list(temporary.glob("osrcp-*"))

    assert not list(temporary.glob("discovery-*"))


def test_an_untrusted_certificate(kubeconfig):
    with (
        opened(kubeconfig(**{"certificate-authority": None})) as cluster,
        pytest.raises(SiteError, match="shows a certificate that is not trusted") as error,
    ):
        _ = cluster.version

    assert not isinstance(error.value, Unreachable)
    assert "certificate authority" in error.value.next_step


@pytest.mark.parametrize("text", ["", "[", "- a", "clusters: 1", "kind: Config", "{clusters: [], contexts: []}"])
def test_an_unusable_kubeconfig_is_named(tmp_path, text):
    path = tmp_path / "kubeconfig"
    path.write_text(text)

    with pytest.raises(SiteError, match=f"{path}: not a usable kubeconfig: "):
        connect(Access(kubeconfig=path), KubernetesSite(kubeconfig=path))


def test_an_unknown_context_is_named(kubeconfig):
    access = Access(kubeconfig=kubeconfig().kubeconfig, context="other")

    with pytest.raises(SiteError, match="not a usable kubeconfig with context other: "):
        connect(access, KubernetesSite(kubeconfig=access.kubeconfig))


def site(access: Access, **unprivileged) -> Site:
    kubernetes = KubernetesSite(kubeconfig=access.kubeconfig, **unprivileged)
    return Site(name="x", kind="cluster", kubernetes=kubernetes, gpu=Gpu.model_validate({"profile": "T4-2Q"}))


def test_both_users_of_a_site(kubeconfig):
    access = kubeconfig()
    second = UnprivilegedAccess(kubeconfig=access.kubeconfig, user="tester")

    with connected(site(access, unprivileged=second)) as clients:
        assert clients.admin is not clients.unprivileged
        assert clients.unprivileged.version == "v1.36.0"
    with connected(site(access)) as clients:
        assert clients.unprivileged is None


def test_a_site_with_expired_credentials_is_refused_before_anything_starts(tls_api, kubeconfig):
    tls_api.fail("GET", 401)

    with pytest.raises(SiteError, match="rejects the credentials"), connected(site(kubeconfig())):
        pytest.fail("must not get here")


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ApiException(status=409, reason="Conflict"), Conflict),
        (ResourceNotFoundError("No matches found for VirtualMachine"), NotFound),
    ],
)
def test_errors_of_the_library_are_translated(raised, expected):
    with pytest.raises(expected, match="https://x") as error, translated("https://x", "POST a VM"):
        raise raised

    assert error.value.__cause__ is raised


def test_importing_the_rooms_does_not_import_the_library():
    """It costs seconds, which command lines and collection must not pay."""
    rooms = "utilities.errors, utilities.site, utilities.history, utilities.clients, utilities.watching"
    code = f"import {rooms}, sys; sys.exit('kubernetes' in sys.modules)"
    root = Path(__file__).parents[2]

    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
