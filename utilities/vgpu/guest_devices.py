"""What a guest sees of its vGPU (kubevirt sheet §8.5)."""

from __future__ import annotations

from dataclasses import dataclass

from utilities.errors import GuestError
from utilities.guest import GuestShell


@dataclass(frozen=True, slots=True)
class GuestDevices:
    """controllers: NVIDIA display controllers on the guest's PCI bus. listed: GPUs that the driver answers for."""

    controllers: int
    listed: tuple[str, ...]

    @classmethod
    def read(cls, shell: GuestShell) -> GuestDevices:
        """Ask the bus and the driver; a driver that does not answer lists nothing."""
        found = shell.run('/sbin/lspci -nnk | grep -E "controller.+NVIDIA" | wc -l')
        try:
            listed = shell.run("nvidia-smi -L").splitlines()
        except GuestError:
            listed = []
        return cls(int(found), tuple(line for line in listed if line.startswith("GPU ")))
