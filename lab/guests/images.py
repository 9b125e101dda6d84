"""Guest operating systems as data."""

from dataclasses import dataclass, field, replace

from lab.guests.hardware import PciDevice

_RED_HAT = "Red Hat, Inc."
_INTEL = "Intel Corporation"
_QEMU = "Red Hat, Inc. Device [1af4:1100]"


def _virtio(address: str, class_name: str, class_id: str, kind: str, device: str) -> PciDevice:
    return PciDevice(
        address, class_name, class_id, _RED_HAT, f"Virtio 1.0 {kind}", f"1af4:{device}", "01", _QEMU, "virtio-pci"
    )


Q35_DEVICES = (
    PciDevice(
        "00:00.0", "Host bridge", "0600", _INTEL, "82G33/G31/P35/P31 Express DRAM Controller", "8086:29c0", "", _QEMU
    ),
    PciDevice("00:01.0", "VGA compatible controller", "0300", "", "Device", "1234:1111", "02", _QEMU, "bochs-drm"),
    *(
        PciDevice(f"00:02.{n}", "PCI bridge", "0604", _RED_HAT, "QEMU PCIe Root port", "1b36:000c", "", "", "pcieport")
        for n in range(8)
    ),
    PciDevice(
        "00:1f.0", "ISA bridge", "0601", _INTEL, "82801IB (ICH9) LPC Interface Controller", "8086:2918", "02", _QEMU
    ),
    PciDevice(
        "00:1f.2", "SATA controller", "0106", _INTEL,
        "82801IR/IO/IH (ICH9R/DO/DH) 6 port SATA Controller [AHCI mode]", "8086:2922", "02", _QEMU, "ahci", "ahci",
    ),
    PciDevice(
        "00:1f.3", "SMBus", "0c05", _INTEL, "82801I (ICH9 Family) SMBus Controller", "8086:2930", "02", _QEMU,
        "i801_smbus", "i2c_i801",
    ),
    _virtio("01:00.0", "Ethernet controller", "0200", "network device", "1041"),
    _virtio("02:00.0", "SCSI storage controller", "0100", "SCSI", "1048"),
    _virtio("03:00.0", "Communication controller", "0780", "console", "1043"),
    _virtio("04:00.0", "SCSI storage controller", "0100", "block device", "1042"),
    _virtio("05:00.0", "SCSI storage controller", "0100", "block device", "1042"),
    _virtio("06:00.0", "Unclassified device", "00ff", "memory balloon", "1045"),
    _virtio("07:00.0", "Unclassified device", "00ff", "RNG", "1044"),
)  # fmt: skip
"""The bus of a KubeVirt q35 machine with the virtio devices of a container-disk VM."""


@dataclass(frozen=True, slots=True)
class GuestImage:
    """An operating system image.

    `nvidia_driver` and `cuda` are versions, None where the image has no NVIDIA driver. `agent` says whether
    qemu-guest-agent is installed and enabled. `user` is the account cloud-init creates when the user data names none.
    """

    name: str
    os_release: dict[str, str]
    kernel: str
    kernel_build: str
    user: str
    nvidia_driver: str | None = None
    cuda: str | None = None
    agent: bool = True
    devices: tuple[PciDevice, ...] = Q35_DEVICES
    modules: tuple[str, ...] = field(default=("virtio_net", "virtio_blk", "virtio_console", "virtio_balloon", "bochs"))

    @property
    def pretty_name(self) -> str:
        """The name for people, as in /etc/os-release."""
        return self.os_release["PRETTY_NAME"]


def _fedora(version: str, codename: str, kernel: str, build: str, driver: str | None, cuda: str | None) -> GuestImage:
    release = {
        "NAME": "Fedora Linux",
        "VERSION": f"{version} ({codename})",
        "ID": "fedora",
        "VERSION_ID": version,
        "VERSION_CODENAME": "",
        "PLATFORM_ID": f"platform:f{version}",
        "PRETTY_NAME": f"Fedora Linux {version} ({codename})",
        "CPE_NAME": f"cpe:/o:fedoraproject:fedora:{version}",
        "VARIANT": codename,
        "VARIANT_ID": "cloud",
    }
    return GuestImage("fedora", release, kernel, build, "fedora", driver, cuda)


_FEDORA_BUILD = "#1 SMP PREEMPT_DYNAMIC Sun Oct 20 15:02:33 UTC 2024"

FEDORA = _fedora("41", "Cloud Edition", "6.11.4-301.fc41.x86_64", _FEDORA_BUILD, driver="550.90.07", cuda="12.4")
"""Fedora with the NVIDIA vGPU guest driver."""

FEDORA_WITHOUT_DRIVER = replace(FEDORA, nvidia_driver=None, cuda=None)
"""The plain container disk: the GPU is on the bus and nothing drives it."""

RHEL = GuestImage(
    "rhel",
    {
        "NAME": "Red Hat Enterprise Linux",
        "VERSION": "9.4 (Plow)",
        "ID": "rhel",
        "ID_LIKE": "fedora",
        "VERSION_ID": "9.4",
        "PLATFORM_ID": "platform:el9",
        "PRETTY_NAME": "Red Hat Enterprise Linux 9.4 (Plow)",
        "CPE_NAME": "cpe:/o:redhat:enterprise_linux:9::baseos",
    },
    "5.14.0-427.13.1.el9_4.x86_64",
    "#1 SMP PREEMPT_DYNAMIC Wed Apr 10 10:29:16 EDT 2024",
    "cloud-user",
    nvidia_driver="550.90.07",
    cuda="12.4",
)
"""Red Hat Enterprise Linux 9 with the NVIDIA vGPU guest driver."""
