"""Kinds of objects and where the API serves them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from utilities.site.hyperconverged import HyperConvergedApi


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind: group ("" for core), version, plural as in URLs, kind as in objects."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """As objects write it: `v1` or `group/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str | None = None, name: str | None = None, subresource: str | None = None) -> str:
        """URL path of the collection (of all namespaces if none is given), of an object, or of a subresource of it."""
        parts = ["", "apis" if self.group else "api", self.api_version]
        if namespace is not None and self.namespaced:
            parts += ["namespaces", quote(namespace, safe="")]
        parts += [self.plural, *(quote(part, safe="/") for part in (name, subresource) if part is not None)]
        return "/".join(parts)

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


PODS = Resource("", "v1", "pods", "Pod")
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)
CLUSTER_VERSIONS = Resource("config.openshift.io", "v1", "clusterversions", "ClusterVersion", namespaced=False)
NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
SECRETS = Resource("", "v1", "secrets", "Secret")
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease")
EVENTS = Resource("", "v1", "events", "Event")
ROLE_BINDINGS = Resource("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding")
VMS = Resource("kubevirt.io", "v1", "virtualmachines", "VirtualMachine")
VMIS = Resource("kubevirt.io", "v1", "virtualmachineinstances", "VirtualMachineInstance")
VMIMS = Resource("kubevirt.io", "v1", "virtualmachineinstancemigrations", "VirtualMachineInstanceMigration")
KUBEVIRTS = Resource("kubevirt.io", "v1", "kubevirts", "KubeVirt")
MIGRATION_POLICIES = Resource(
    "migrations.kubevirt.io", "v1alpha1", "migrationpolicies", "MigrationPolicy", namespaced=False
)


def hyperconvergeds(version: HyperConvergedApi) -> Resource:
    """HyperConverged in one of its two API versions."""
    return Resource("hco.kubevirt.io", version, "hyperconvergeds", "HyperConverged")
