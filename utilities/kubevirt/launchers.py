"""Launcher pods of a VMI, and the domain inside the current one (kubevirt sheet §4.9, §8.4, §9.3)."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from utilities.clients import PODS, VMIS, Cluster
from utilities.errors import NotFound, SiteError
from utilities.history import dig
from utilities.kubevirt.execution import output_of

_SOCKET = "qemu+unix:///session?socket=/var/run/libvirt/virtqemud-sock"
_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Launchers:
    """The launcher pods of one VMI."""

    cluster: Cluster
    namespace: str
    vmi: str
    uid: str

    def all(self) -> list[dict[str, Any]]:
        """Every pod that was made for it and still exists."""
        labels = f"kubevirt.io=virt-launcher,kubevirt.io/created-by={self.uid}"
        return list(self.cluster.rest.list(PODS, self.namespace, labels=labels)["items"])

    def unfinished(self) -> list[dict[str, Any]]:
        """Those that have not ended."""
        return [pod for pod in self.all() if dig(pod, "status", "phase") not in _ENDED]

    def current(self) -> dict[str, Any]:
        """The pod the guest runs in now: active, on the VMI's node, and running. Raises NotFound without one."""
        vmi = self.cluster.rest.get(VMIS, self.vmi, self.namespace)
        active, node = dig(vmi, "status", "activePods") or {}, dig(vmi, "status", "nodeName")
        for pod in self.unfinished():
            if dig(pod, "metadata", "uid") in active and dig(pod, "spec", "nodeName") == node:
                return pod
        raise NotFound(
            f"VMI {self.namespace}/{self.vmi} has no launcher pod on {node}",
            next_step="look at the VMI's events",
            code=404,
        )

    def remove_others(self) -> None:
        """Delete every unfinished pod but the current one, such as a target that never gets ready."""
        current = self.current()["metadata"]["uid"]
        for pod in self.unfinished():
            if pod["metadata"]["uid"] != current:
                self.cluster.rest.delete(PODS, pod["metadata"]["name"], self.namespace, uid=pod["metadata"]["uid"])

    def mediated_device(self) -> str | None:
        """UUID of the mdev in the running domain, None if it has none."""
        return mdev_of(self._domain(self.current()))

    def _domain(self, pod: Mapping[str, Any]) -> str:
        command = ["virsh", "-c", _SOCKET, "dumpxml", f"{self.namespace}_{self.vmi}"]
        return output_of(self.cluster, self.namespace, pod["metadata"]["name"], "compute", command)


def mdev_of(domain: str) -> str | None:
    """UUID of the first mdev host device in a libvirt domain XML."""
    try:
        root = ElementTree.fromstring(domain)  # noqa: S314  from the launcher that we asked
    except ElementTree.ParseError as error:
        raise SiteError(f"virsh dumpxml gave no XML: {error}", next_step="run it in the launcher pod") from error
    address = root.find("./devices/hostdev[@type='mdev']/source/address")
    return None if address is None else address.get("uuid")
