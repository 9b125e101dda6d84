"""CobaltCore's openstack-hypervisor-operator, simulated: maintenance, evictions, traits, readiness (operator sheet)."""
