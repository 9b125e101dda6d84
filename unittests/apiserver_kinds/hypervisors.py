"""A definition as real operators ship it: defaults that are required, rules at three levels, columns, a status."""

RULE = "x-kubernetes-validations"
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT, "default": []}
SPEC = {
    "type": "object",
    "required": ["customTraits", "reboot", "lifecycleEnabled"],
    "properties": {
        "version": {"type": "string", "pattern": "^v[0-9]+$"},
        "hypervisor": {
            "type": "string",
            "minLength": 1,
            RULE: [{"rule": "self == oldSelf", "message": "Value is immutable"}],
        },
        "reboot": {"type": "boolean", "default": False},
        "lifecycleEnabled": {"type": "boolean", "default": True},
        "customTraits": TEXTS,
        "maintenance": {"type": "string", "enum": ["", "manual", "auto", "ha", "termination"]},
        "maintenanceReason": TEXT,
        "limits": {
            "type": "object",
            "default": {},
            "properties": {"parallel": {"type": "integer", "format": "int32", "default": 2, "minimum": 1}},
        },
        "overcommit": {
            "type": "object",
            "additionalProperties": {"type": "number"},
            RULE: [{"rule": "self.all(k, self[k] >= 1.0)", "message": "overcommit ratios must be >= 1.0"}],
        },
    },
    RULE: [
        {
            "rule": "!has(self.maintenance) || self.maintenance != 'manual' || "
            "(has(self.maintenanceReason) && self.maintenanceReason.size() > 0)",
            "message": "maintenanceReason must be non-empty when maintenance is 'manual'",
        },
    ],
}
STATUS = {
    "type": "object",
    "required": ["numInstances"],
    "properties": {
        "numInstances": {"type": "integer", "default": 0},
        "hypervisorId": TEXT,
        "conditions": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "items": {"type": "object", "required": ["type"], "properties": {"type": TEXT, "status": TEXT}},
        },
    },
}
SCHEMA = {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}


def definition(name="hypervisors", kind="Hypervisor", group="kvm.cloud.sap", version="v1", **members):
    """The definition; `members` replace those of its only version."""
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": SCHEMA},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "Version", "type": "string", "jsonPath": ".spec.version"}],
        **members,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}.{group}"},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"plural": name, "kind": kind, "shortNames": [name[:2]]},
            "versions": [served],
        },
    }
