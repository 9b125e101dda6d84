"""Connections to a site's cluster: as administrator, and as a user without rights."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import yaml

from utilities.clients.rest import Rest
from utilities.clients.translation import translated
from utilities.errors import SiteError
from utilities.site import Access, KubernetesSite, Site

if TYPE_CHECKING:
    from kubernetes.client import ApiClient
    from kubernetes.dynamic import DynamicClient

CONNECTIONS = 64
"""Kept open per user: every watch holds one for itself, and the library's default of 4 would thrash."""


class Cluster:
    """One user's connection. `rest` for paths and watches, `dynamic` for openshift-python-wrapper. Close it."""

    def __init__(self, api_client: ApiClient, timeout: float) -> None:
        self._api_client = api_client
        self._discovery = tempfile.TemporaryDirectory(prefix="discovery-")
        configuration = api_client.configuration

        def headers() -> Mapping[str, str]:
            token = configuration.get_api_key_with_prefix("authorization")
            return {"Authorization": token} if token else {}

        self.url: str = configuration.host
        self.rest = Rest(self.url, api_client.rest_client.pool_manager, headers, timeout)

    @cached_property
    def dynamic(self) -> DynamicClient:
        """The client that the wrapper's classes take as `client`.

        Its discovery cache is a file of our own that dies with this connection: the library's default lives in the
        temp directory under a hash of the URL, and another cluster at the same port would inherit it.
        """
        from kubernetes.dynamic import DynamicClient

        with translated(self.url, "discovery"):
            return DynamicClient(self._api_client, cache_file=str(Path(self._discovery.name) / "discovery.json"))

    @property
    def version(self) -> str:
        """Version of the API server; proves that it answers and takes the credentials."""
        return str(self.rest.call("GET", "/version")["gitVersion"])

    def close(self) -> None:
        """Close connections and forget what was discovered."""
        self._api_client.rest_client.pool_manager.clear()
        self._api_client.close()
        self._discovery.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Clients:
    """Who tests act as. unprivileged: None if the site names no such user."""

    admin: Cluster
    unprivileged: Cluster | None


def connect(access: Access, kubernetes_site: KubernetesSite) -> Cluster:
    """A connection by kubeconfig. Makes no request. Raises SiteError if the file says nothing usable."""
    from kubernetes import client, config

    configuration = client.Configuration()
    configuration.proxy = kubernetes_site.proxy  # the library would read the environment
    configuration.connection_pool_maxsize = CONNECTIONS
    try:
        config.load_kube_config(
            str(access.kubeconfig), access.context, client_configuration=configuration, persist_config=False
        )
    except (config.ConfigException, yaml.YAMLError, OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        context = f" with context {access.context}" if access.context else ""
        raise SiteError(
            f"{access.kubeconfig}: not a usable kubeconfig{context}: {error}",
            next_step="correct the file, or name another one or another context in the site file",
        ) from error
    return Cluster(client.ApiClient(configuration), kubernetes_site.request_timeout)


@contextmanager
def connected(site: Site) -> Iterator[Clients]:
    """Connections to the site's cluster, checked to answer. Raises SiteError, Unreachable or Forbidden."""
    with ExitStack() as stack:
        admin = stack.enter_context(connect(site.kubernetes, site.kubernetes))
        _ = admin.version
        unprivileged = None
        if site.kubernetes.unprivileged is not None:
            unprivileged = stack.enter_context(connect(site.kubernetes.unprivileged, site.kubernetes))
            _ = unprivileged.version
        yield Clients(admin, unprivileged)
