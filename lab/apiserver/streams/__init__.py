"""Websockets: exec, attach, port-forward and KubeVirt's plain streams (sheet §7)."""
