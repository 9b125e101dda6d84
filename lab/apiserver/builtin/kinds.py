"""The built-in kinds (kubernetes-api sheet §6.1): what discovery says about each, and how its writes are treated.

`columns` come after the implicit first column Name; most built-in kinds carry none, the table renderer knows them.
"""

from __future__ import annotations

from typing import Final

from lab.apiserver.builtin.events import from_core, to_core
from lab.apiserver.resources import Column, Resource

_AGE: Final = Column("Age", "date", ".metadata.creationTimestamp")
_ALL: Final = ("all",)
_CREATE: Final = ("create",)
_INVOLVED: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")

NAMESPACE = Resource(
    "", "v1", "namespaces", "Namespace", namespaced=False, short_names=("ns",), subresources=("status", "finalize"),
    verbs=("create", "delete", "get", "list", "patch", "update", "watch"), selectable_fields=("status.phase",),
)  # fmt: skip
NODE = Resource(
    "", "v1", "nodes", "Node", namespaced=False, short_names=("no",), subresources=("status",),
    selectable_fields=("spec.unschedulable",),
)  # fmt: skip
POD = Resource(
    "", "v1", "pods", "Pod", short_names=("po",), categories=_ALL, generation=True,
    subresources=("status", "log", "exec", "attach", "portforward", "eviction", "binding"),
    selectable_fields=(
        "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
        "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
    ),
)  # fmt: skip
EVENT = Resource(
    "", "v1", "events", "Event", short_names=("ev",), create_on_update=True,
    selectable_fields=(
        *(f"involvedObject.{name}" for name in _INVOLVED), "reason", "reportingComponent", "source", "type",
    ),
)  # fmt: skip
EVENTS_EVENT = Resource(
    "events.k8s.io", "v1", "events", "Event", short_names=("ev",), create_on_update=True, store_group="",
    to_storage=to_core, from_storage=from_core,
    selectable_fields=("reason", "reportingController", "type", *(f"regarding.{name}" for name in _INVOLVED)),
)  # fmt: skip
SECRET = Resource("", "v1", "secrets", "Secret", selectable_fields=("type",))
CONFIG_MAP = Resource("", "v1", "configmaps", "ConfigMap", short_names=("cm",))
SERVICE_ACCOUNT = Resource("", "v1", "serviceaccounts", "ServiceAccount", short_names=("sa",), subresources=("token",))
SERVICE = Resource(
    "", "v1", "services", "Service", short_names=("svc",), categories=_ALL, subresources=("status",),
    selectable_fields=("spec.clusterIP", "spec.type"),
)  # fmt: skip
PVC = Resource(
    "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", short_names=("pvc",), subresources=("status",)
)

DEPLOYMENT = Resource(
    "apps", "v1", "deployments", "Deployment", short_names=("deploy",), categories=_ALL, generation=True,
    subresources=("status", "scale"),
)  # fmt: skip
REPLICA_SET = Resource(
    "apps", "v1", "replicasets", "ReplicaSet", short_names=("rs",), categories=_ALL, generation=True,
    subresources=("status", "scale"), selectable_fields=("status.replicas",),
)  # fmt: skip
DAEMON_SET = Resource(
    "apps", "v1", "daemonsets", "DaemonSet", short_names=("ds",), categories=_ALL, generation=True,
    subresources=("status",),
)  # fmt: skip
JOB = Resource(
    "batch", "v1", "jobs", "Job", categories=_ALL, generation=True, subresources=("status",),
    selectable_fields=("status.successful",),
    columns=(Column("Status", "string", ".status.conditions[0].type"), _AGE),
)  # fmt: skip
PDB = Resource(
    "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", short_names=("pdb",), generation=True,
    subresources=("status",), unconditional_update=False,
)  # fmt: skip
LEASE = Resource("coordination.k8s.io", "v1", "leases", "Lease", create_on_update=True, unconditional_update=False)

_RBAC: Final = "rbac.authorization.k8s.io"
ROLE = Resource(_RBAC, "v1", "roles", "Role", create_on_update=True)
ROLE_BINDING = Resource(_RBAC, "v1", "rolebindings", "RoleBinding", create_on_update=True)
CLUSTER_ROLE = Resource(_RBAC, "v1", "clusterroles", "ClusterRole", namespaced=False, create_on_update=True)
CLUSTER_ROLE_BINDING = Resource(
    _RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding", namespaced=False, create_on_update=True
)

CRD = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False,
    short_names=("crd", "crds"), categories=("api-extensions",), subresources=("status",), generation=True,
    unconditional_update=False,
)  # fmt: skip
STORAGE_CLASS = Resource(
    "storage.k8s.io", "v1", "storageclasses", "StorageClass", namespaced=False, short_names=("sc",)
)
PRIORITY_CLASS = Resource(
    "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False, short_names=("pc",)
)

_AUTHORIZATION: Final = "authorization.k8s.io"
_AUTHENTICATION: Final = "authentication.k8s.io"
SELF_SUBJECT_ACCESS_REVIEW = Resource(
    _AUTHORIZATION, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", namespaced=False, verbs=_CREATE
)
SUBJECT_ACCESS_REVIEW = Resource(
    _AUTHORIZATION, "v1", "subjectaccessreviews", "SubjectAccessReview", namespaced=False, verbs=_CREATE
)
LOCAL_SUBJECT_ACCESS_REVIEW = Resource(
    _AUTHORIZATION, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", verbs=_CREATE
)
SELF_SUBJECT_RULES_REVIEW = Resource(
    _AUTHORIZATION, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", namespaced=False, verbs=_CREATE
)
SELF_SUBJECT_REVIEW = Resource(
    _AUTHENTICATION, "v1", "selfsubjectreviews", "SelfSubjectReview", namespaced=False, verbs=_CREATE
)
TOKEN_REVIEW = Resource(_AUTHENTICATION, "v1", "tokenreviews", "TokenReview", namespaced=False, verbs=_CREATE)

REVIEWS: tuple[Resource, ...] = (
    SELF_SUBJECT_ACCESS_REVIEW, SUBJECT_ACCESS_REVIEW, LOCAL_SUBJECT_ACCESS_REVIEW, SELF_SUBJECT_RULES_REVIEW,
    SELF_SUBJECT_REVIEW, TOKEN_REVIEW,
)  # fmt: skip
BUILTIN: tuple[Resource, ...] = (
    NAMESPACE, NODE, POD, EVENT, SECRET, CONFIG_MAP, SERVICE_ACCOUNT, SERVICE, PVC, EVENTS_EVENT, DEPLOYMENT,
    REPLICA_SET, DAEMON_SET, JOB, PDB, LEASE, ROLE, ROLE_BINDING, CLUSTER_ROLE, CLUSTER_ROLE_BINDING, CRD,
    STORAGE_CLASS, PRIORITY_CLASS, *REVIEWS,
)  # fmt: skip
