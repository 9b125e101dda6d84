"""Parallel migrations while a hypervisor is drained.  STP: stps/cobaltcore/eviction-concurrency.md"""

SHARES = "hypervisors"
