"""What filters have in common: most keep hosts of which a Hypervisor tells something."""

from __future__ import annotations

from collections.abc import Callable

from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.steps import Answered, Asked, keep


def keep_known(asked: Asked, fitting: Callable[[Host], bool]) -> Answered:
    """Keep the hosts whose Hypervisor fits; one without a Hypervisor goes."""
    hosts = asked.view.hosts
    return keep(host for host in asked.hosts if host in hosts and fitting(hosts[host]))


def keep_unless(asked: Asked, unfit: Callable[[Host], bool]) -> Answered:
    """Drop the hosts whose Hypervisor is unfit; one without a Hypervisor stays."""
    hosts = asked.view.hosts
    return keep(host for host in asked.hosts if host not in hosts or not unfit(hosts[host]))
