"""The HyperConverged operator: one object, from which the KubeVirt object is generated (kubevirt sheet §1.4, §3.3)."""
