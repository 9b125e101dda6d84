"""KubeVirt, HyperConverged and NVIDIA parts of the lab (kubevirt sheet)."""
