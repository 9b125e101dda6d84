"""Live migrations of committed VMs toward their reservation slots.  STP: stps/cobaltcore/cr-migration-slot.md"""

SHARES = "hypervisors"
