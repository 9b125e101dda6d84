"""GPU profiles as data: what a card offers, how it is named in the cluster and in the guest."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, StringConstraints

ExtendedResource = Annotated[str, StringConstraints(pattern=r"^[a-z0-9.-]+/[A-Za-z0-9._-]+$")]
"""Name of a Kubernetes extended resource: `domain/name`."""


class GpuProfile(BaseModel):
    """One vGPU profile of one card. Kubevirt sheet §8.2; a site may spell one out that the catalogue does not have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    """Short name as the GPU operator writes it in the node label `nvidia.com/vgpu.config`, e.g. `T4-2Q`."""
    card: str = Field(min_length=1)
    """Model of the physical GPU, e.g. `T4`."""
    pci_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{4}:[0-9a-f]{4}$")]
    """PCI vendor and device id of the card, lower case, e.g. `10de:1eb8`."""
    resource: ExtendedResource
    """Extended resource that a VM asks for in `devices.gpus[].deviceName`."""
    mdev_selector: str = Field(min_length=1)
    """`permittedHostDevices.mediatedDevices[].mdevNameSelector`: the mdev type's name, with its spaces."""
    type_id: str = Field(min_length=1)
    """mdev type directory in sysfs, e.g. `nvidia-231`."""
    instances_per_card: PositiveInt
    """How many mdevs of this type one card can hold."""
    guest_name: str = Field(min_length=1)
    """Name the guest's driver reports for the device."""
    passthrough_resource: ExtendedResource | None = None
    """Extended resource of the whole card when it is handed out by passthrough; None: not known."""


_T4 = {"card": "T4", "pci_id": "10de:1eb8", "passthrough_resource": "nvidia.com/TU104GL_Tesla_T4"}
_A2 = {"card": "A2", "pci_id": "10de:25b6", "passthrough_resource": "nvidia.com/GA107GL_Ampere_A2"}

_PROFILES = (
    GpuProfile.model_validate(
        _T4
        | {
            "name": "T4-2Q",
            "resource": "nvidia.com/GRID_T4_2Q",
            "mdev_selector": "GRID T4-2Q",
            "type_id": "nvidia-231",
            "instances_per_card": 8,
            "guest_name": "GRID T4-2Q",
        }
    ),
    GpuProfile.model_validate(
        _T4
        | {
            "name": "T4-16Q",
            "resource": "nvidia.com/GRID_T4_16Q",
            "mdev_selector": "GRID T4-16Q",
            "type_id": "nvidia-234",
            "instances_per_card": 1,
            "guest_name": "GRID T4-16Q",
        }
    ),
    GpuProfile.model_validate(
        _T4
        | {
            "name": "T4-1B",
            "resource": "nvidia.com/GRID_T4-1B",
            "mdev_selector": "GRID T4-1B",
            "type_id": "nvidia-222",
            "instances_per_card": 16,  # 16 GB of frame buffer, 1 GB each: inferred in the sheet, not read in a source
            "guest_name": "GRID T4-1B",
        }
    ),
    GpuProfile.model_validate(
        _A2
        | {
            "name": "A2-2Q",
            "resource": "nvidia.com/NVIDIA_A2-2Q",
            "mdev_selector": "NVIDIA A2-2Q",
            "type_id": "nvidia-745",
            "instances_per_card": 8,
            "guest_name": "NVIDIA A2",
        }
    ),
    GpuProfile.model_validate(
        _A2
        | {
            "name": "A2-4Q",
            "resource": "nvidia.com/NVIDIA_A2-4Q",
            "mdev_selector": "NVIDIA A2-4Q",
            "type_id": "nvidia-746",
            "instances_per_card": 4,
            "guest_name": "NVIDIA A2",
        }
    ),
)

GPU_PROFILES = {profile.name: profile for profile in _PROFILES}
"""The built-in catalogue, by short name."""
