"""The devices a guest sees on its PCI bus, its GPU, and the state of the GPU's driver."""

import re
from dataclasses import dataclass, replace

_GPU_ADDRESS = "09:00.0"
_FRAME_BUFFER = re.compile(r"-(\d+)[A-Z]$")

CARDS = {
    "10de:1eb8": ("TU104GL [Tesla T4]", 15360),
    "10de:25b6": ("GA107GL [A2 / A16]", 15356),
}
"""Vendor and device id -> name in the PCI database and memory in MiB of the whole card (kubevirt sheet §8.2)."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """The GPU given to a guest.

    `pci_id` is "vendor:device" in hex, `name` what nvidia-smi calls it (`GRID T4-2Q`; `Tesla T4` when the whole card
    is passed through), `uuid` a bare UUID. None of it changes for the guest when it moves to another node.
    """

    pci_id: str
    name: str
    uuid: str
    passthrough: bool = False

    @property
    def memory_mib(self) -> int | None:
        """Frame buffer in MiB: from the profile's name (`-2Q`: 2 GiB) or the card; None where neither is known."""
        profile = _FRAME_BUFFER.search(self.name)
        if profile:
            return int(profile[1]) * 1024
        card = CARDS.get(self.pci_id)
        return card[1] if card else None


@dataclass(frozen=True, slots=True)
class PciDevice:
    """One function on the bus, as lspci shows it. Ids are hex without prefix; `revision` "" when it is zero."""

    address: str
    class_name: str
    class_id: str
    vendor: str
    name: str
    pci_id: str
    revision: str = ""
    subsystem: str = ""
    driver: str = ""
    modules: str = ""

    @property
    def vendor_id(self) -> str:
        """The vendor's part of the id."""
        return self.pci_id.split(":")[0]


class Hardware:
    """The bus of one guest. The GPU's driver works until `driver_alive` is cleared."""

    def __init__(self, devices: tuple[PciDevice, ...], gpu: Gpu | None, driver: str | None) -> None:
        self._devices = devices
        self.gpu = gpu
        self.driver = driver
        self.driver_alive = driver is not None

    @property
    def gpu_bus_id(self) -> str:
        """The GPU's address as nvidia-smi writes it."""
        return f"00000000:{_GPU_ADDRESS}"

    def devices(self) -> tuple[PciDevice, ...]:
        """All functions in bus order."""
        if self.gpu is None:
            return self._devices
        function = _gpu_function(self.gpu)
        if self.driver is not None:
            function = replace(function, driver="nvidia", modules="nouveau, nvidia_drm, nvidia")
        return (*self._devices, function)


def _gpu_function(gpu: Gpu) -> PciDevice:
    """A vGPU with a display is a VGA controller, a whole data centre card a 3D controller."""
    vendor = "NVIDIA Corporation" if gpu.pci_id.startswith("10de:") else ""
    card = CARDS.get(gpu.pci_id)
    class_name, class_id = ("3D controller", "0302") if gpu.passthrough else ("VGA compatible controller", "0300")
    return PciDevice(
        address=_GPU_ADDRESS,
        class_name=class_name,
        class_id=class_id,
        vendor=vendor,
        name=card[0] if card else "Device",
        pci_id=gpu.pci_id,
        revision="a1",
        modules="nouveau",
    )
