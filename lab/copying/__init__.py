"""Copying a running guest's memory to another machine: what KubeVirt and Nova have in common."""
