"""Lists and maps of the built-in kinds that are not merged the ordinary way (kubernetes-api sheet §4.4, §4.5)."""

from __future__ import annotations

from lab.apiserver.patching.shape import ATOMIC_MAP, SET, Shape, keyed, members

METADATA = members(ownerReferences=keyed("uid", item=ATOMIC_MAP), finalizers=SET)
_CONDITIONS = keyed("type")
_TCP = {"protocol": "TCP"}
_ENV_SOURCE = members(
    fieldRef=ATOMIC_MAP, resourceFieldRef=ATOMIC_MAP, configMapKeyRef=ATOMIC_MAP, secretKeyRef=ATOMIC_MAP
)
_CONTAINER = members(
    env=keyed("name", item=members(valueFrom=_ENV_SOURCE)),
    ports=keyed("containerPort", "protocol", defaults=_TCP),
    volumeMounts=keyed("mountPath"),
    volumeDevices=keyed("devicePath"),
    resources=members(claims=keyed("name")),
)
_CONTAINERS = keyed("name", item=_CONTAINER)
_POD_SPEC = members(
    containers=_CONTAINERS,
    initContainers=_CONTAINERS,
    ephemeralContainers=_CONTAINERS,
    volumes=keyed("name"),
    imagePullSecrets=keyed("name", item=ATOMIC_MAP),
    hostAliases=keyed("ip"),
    topologySpreadConstraints=keyed("topologyKey", "whenUnsatisfiable", item=members(labelSelector=ATOMIC_MAP)),
    schedulingGates=keyed("name"),
    resourceClaims=keyed("name"),
    nodeSelector=ATOMIC_MAP,
)
_POD_TEMPLATE = members(metadata=METADATA, spec=_POD_SPEC)
_WORKLOAD = members(
    metadata=METADATA,
    spec=members(selector=ATOMIC_MAP, template=_POD_TEMPLATE),
    status=members(conditions=_CONDITIONS),
)
_PLAIN = members(metadata=METADATA)
_ROLE_BINDING = members(metadata=METADATA, roleRef=ATOMIC_MAP)

BUILTIN_SHAPES: dict[tuple[str, str], Shape] = {
    ("", "namespaces"): members(metadata=METADATA, status=members(conditions=_CONDITIONS)),
    ("", "nodes"): members(
        metadata=METADATA,
        spec=members(podCIDRs=SET),
        status=members(conditions=_CONDITIONS, addresses=keyed("type")),
    ),
    ("", "pods"): members(
        metadata=METADATA,
        spec=_POD_SPEC,
        status=members(conditions=_CONDITIONS, podIPs=keyed("ip"), hostIPs=keyed("ip")),
    ),
    ("", "events"): members(metadata=METADATA, involvedObject=ATOMIC_MAP, related=ATOMIC_MAP),
    ("events.k8s.io", "events"): members(metadata=METADATA, regarding=ATOMIC_MAP, related=ATOMIC_MAP),
    ("", "secrets"): _PLAIN,
    ("", "configmaps"): _PLAIN,
    ("", "serviceaccounts"): members(
        metadata=METADATA, secrets=keyed("name", item=ATOMIC_MAP), imagePullSecrets=keyed("name", item=ATOMIC_MAP)
    ),
    ("", "services"): members(
        metadata=METADATA,
        spec=members(ports=keyed("port", "protocol", defaults=_TCP), selector=ATOMIC_MAP),
        status=members(conditions=_CONDITIONS),
    ),
    ("", "persistentvolumeclaims"): members(
        metadata=METADATA,
        spec=members(selector=ATOMIC_MAP, dataSource=ATOMIC_MAP),
        status=members(conditions=_CONDITIONS),
    ),
    ("apps", "deployments"): _WORKLOAD,
    ("apps", "replicasets"): _WORKLOAD,
    ("apps", "daemonsets"): _WORKLOAD,
    ("batch", "jobs"): _WORKLOAD,
    ("policy", "poddisruptionbudgets"): members(
        metadata=METADATA, spec=members(selector=ATOMIC_MAP), status=members(conditions=_CONDITIONS)
    ),
    ("coordination.k8s.io", "leases"): _PLAIN,
    ("rbac.authorization.k8s.io", "roles"): _PLAIN,
    ("rbac.authorization.k8s.io", "clusterroles"): _PLAIN,
    ("rbac.authorization.k8s.io", "rolebindings"): _ROLE_BINDING,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): _ROLE_BINDING,
    ("apiextensions.k8s.io", "customresourcedefinitions"): members(
        metadata=METADATA, status=members(conditions=_CONDITIONS)
    ),
    ("storage.k8s.io", "storageclasses"): _PLAIN,
    ("scheduling.k8s.io", "priorityclasses"): _PLAIN,
}
