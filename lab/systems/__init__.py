"""The systems of a lab, each a module of its own; they start in this order, and a later one builds on earlier ones."""

from __future__ import annotations

from lab.systems import cortex, hypervisor_operator, kubevirt, openstack
from lab.systems.choosing import Systems
from lab.systems.system import Lab, Started, System

SYSTEMS = Systems((kubevirt.SYSTEM, openstack.SYSTEM, hypervisor_operator.SYSTEM, cortex.SYSTEM))
"""All there are."""

__all__ = ["SYSTEMS", "Lab", "Started", "System", "Systems"]
