"""How to log in to the Kubernetes API of a site."""

from __future__ import annotations

from pydantic import Field, PositiveFloat

from utilities.site.part import ExistingFile, Name, Part


class Access(Part):
    """How to log in to a Kubernetes API."""

    kubeconfig: ExistingFile
    """Kubeconfig file; a relative path starts at the site file's directory, `~` is the home directory."""
    context: str | None = None
    """Context of that file; null: its current-context."""


class UnprivilegedAccess(Access):
    """A user without cluster rights, for the scenarios that prove what such a user cannot do."""

    user: str = Field(min_length=1)
    """The user's name as the cluster knows it: the subject of the role bindings that tests create."""


class KubernetesSite(Access):
    """Kubernetes access as cluster administrator, and optionally as somebody else."""

    unprivileged: UnprivilegedAccess | None = None
    """Without it the scenarios that need such a user are blocked."""
    request_timeout: PositiveFloat = 60
    """Wall seconds for a single request to be answered, on every site: the network does not scale."""
    proxy: str | None = None
    """HTTP proxy URL to reach the API through; null: directly. Proxy variables of the environment are ignored."""
    lock_namespace: Name = "default"
    """Where runs that share the cluster keep their Leases; the administrator may create, read, update, delete them."""
