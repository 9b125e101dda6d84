"""Places in the guest's tree that more than one module names."""

TEMPORARY = "/tmp"  # noqa: S108  (a directory of the simulated guest)
SHARED_MEMORY = "/dev/shm"  # noqa: S108  (a directory of the simulated guest)
