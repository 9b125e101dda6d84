"""Guests for VMIs: which image, how much memory, which GPU, which user data (kubevirt sheet §2.1, §9.2)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import SECRET
from lab.guests import FEDORA, RHEL, Gpu, GuestConfig, GuestEvent, GuestImage, GuestMachine, UserData, parse_user_data
from lab.guests.errors import UserDataError
from lab.kubevirt.domains import Guest
from lab.kubevirt.handler.guests import Agent, GuestOrderError, Order
from lab.kubevirt.launcher_pod import guest_memory, vcpus
from lab.profiles.profile import Profile
from lab.quantities import whole
from lab.scheduling.devices import Allocation

Json = Mapping[str, Any]
_IMAGES: tuple[tuple[str, GuestImage], ...] = (  # what a containerDisk's repository is called, and what boots from it
    ("fedora", FEDORA),
    ("rhel", RHEL),
    ("centos-stream", RHEL),
)
_VGPU_WORKING_SET = 512 * 2**20  # bytes an idle vGPU guest dirties again and again
_PLAIN_RATE, _PLAIN_WORKING_SET = 2**20, 32 * 2**20  # bytes per second, and bytes, of an idle guest without one
_AGENT_VERSION = "9.1.0"


class MachineMaker:
    """Makes `GuestMachine`s; implements `GuestMaker`."""

    def __init__(self, api: Api, profile: Profile, seed: int) -> None:
        self._api = api
        self._seed = seed
        self._vgpu_rate = float(whole(profile.idle_vgpu_dirty_rate))

    def make(self, order: Order) -> Guest:
        """Boot a guest; raises GuestOrderError for what no guest can be made of."""
        config = self._config(order.vmi, order.allocation)
        try:
            machine = GuestMachine(config, self._api.clock)
        except UserDataError as error:
            raise GuestOrderError(str(error)) from error

        def tell(event: GuestEvent) -> None:
            if event is GuestEvent.SHUT_DOWN:
                order.on_off()
            elif event in (GuestEvent.BOOTED, GuestEvent.REBOOTED):
                order.on_change()

        machine.subscribe(tell)
        return machine

    def agent(self, guest: Guest) -> Agent | None:
        """The guest agent, None while it does not run."""
        if not isinstance(guest, GuestMachine) or not guest.agent_connected():
            return None
        return Agent(guest.hostname, guest.guest_os_info(), _AGENT_VERSION)

    def _config(self, vmi: Json, allocation: Allocation | None) -> GuestConfig:
        metadata = vmi["metadata"]
        gpu = _gpu(metadata["uid"], allocation)
        memory = guest_memory(vmi)
        sliced = gpu is not None and not gpu.passthrough
        return GuestConfig(
            name=vmi["spec"].get("hostname") or metadata["name"],
            memory=memory,
            user_data=self._user_data(vmi),
            gpu=gpu,
            image=_image(vmi),
            cores=vcpus(vmi),
            idle_dirty_rate=self._vgpu_rate if sliced else _PLAIN_RATE,
            idle_working_set=min(_VGPU_WORKING_SET if sliced else _PLAIN_WORKING_SET, memory // 4),
            seed=f"{self._seed}/{metadata['uid']}",
        )

    def _user_data(self, vmi: Json) -> UserData:
        namespace = vmi["metadata"]["namespace"]
        found = UserData()
        for volume in vmi["spec"].get("volumes") or ():
            source = volume.get("cloudInitNoCloud") or volume.get("cloudInitConfigDrive")
            if source is not None:
                try:
                    found = parse_user_data(self._text(namespace, source))
                except UserDataError as error:
                    raise GuestOrderError(f"volume {volume['name']}: {error}") from error
        return replace(found, authorized_keys=(*found.authorized_keys, *self._keys(vmi)))

    def _text(self, namespace: str, source: Json) -> str | None:
        if source.get("userData"):
            return str(source["userData"])
        encoded = source.get("userDataBase64")
        if not encoded:
            reference = source.get("secretRef") or source.get("userDataSecretRef")
            if not reference:
                return None
            encoded = self._secret(namespace, reference["name"]).get("userdata", "")
        return _decoded(str(encoded))

    def _keys(self, vmi: Json) -> list[str]:
        """Public keys of accessCredentials; however they are propagated, the default user gets them."""
        keys: list[str] = []
        for credential in vmi["spec"].get("accessCredentials") or ():
            secret = (((credential.get("sshPublicKey") or {}).get("source") or {}).get("secret") or {}).get(
                "secretName"
            )
            if secret:
                data = self._secret(vmi["metadata"]["namespace"], secret)
                keys += [_decoded(value).strip() for _, value in sorted(data.items())]
        return keys

    def _secret(self, namespace: str, name: str) -> Mapping[str, str]:
        found = self._api.find(SECRET, namespace, name)
        if found is None:
            raise GuestOrderError(f'secrets "{name}" not found')
        data: Mapping[str, str] = found.get("data") or {}
        return data


def _gpu(uid: str, allocation: Allocation | None) -> Gpu | None:
    """The first GPU a pod holds: a guest of the lab shows one."""
    for device in allocation.devices if allocation is not None else ():
        return Gpu(device.pci_id, device.guest_name, uid, passthrough=not device.mediated)
    return None


def _image(vmi: Json) -> GuestImage:
    for volume in vmi["spec"].get("volumes") or ():
        image = (volume.get("containerDisk") or {}).get("image")
        if image is not None:
            repository = image.split("@")[0].rsplit("/", 1)[-1].split(":")[0]
            for prefix, guest in _IMAGES:
                if repository.startswith(prefix):
                    return guest
            raise GuestOrderError(f"the lab has no guest for container disk {image}")
    return FEDORA


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise GuestOrderError(f"user data is not base64: {error}") from error
