"""The libvirt XML of a running guest, as `virsh dumpxml` prints it (kubevirt sheet §8.4, §9.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from lab.kubevirt.domains import Domain
from lab.kubevirt.launcher_pod import guest_memory, vcpus
from lab.kubevirt.webhooks.defaults import MACHINE

Json = Mapping[str, Any]


def domain_name(vmi: Json) -> str:
    """libvirt's name of a VMI's domain."""
    return f"{vmi['metadata']['namespace']}_{vmi['metadata']['name']}"


def domain_xml(vmi: Json, domain: Domain, interface: Json | None) -> str:
    """The XML; `interface` is the first entry of the VMI's `status.interfaces`."""
    spec: Json = vmi["spec"].get("domain") or {}
    root = ElementTree.Element("domain", {"type": "kvm", "id": "1"})
    _text(root, "name", domain_name(vmi))
    _text(root, "uuid", str((spec.get("firmware") or {}).get("uuid") or vmi["metadata"]["uid"]))
    kib = guest_memory(vmi) // 1024
    for name in ("memory", "currentMemory"):
        _text(root, name, str(kib), unit="KiB")
    _text(root, "vcpu", str(vcpus(vmi)), placement="static")
    system = ElementTree.SubElement(root, "os")
    _text(system, "type", "hvm", arch="x86_64", machine=(spec.get("machine") or {}).get("type") or MACHINE)
    ElementTree.SubElement(root, "cpu", {"mode": "host-model", "check": "partial"})
    devices = ElementTree.SubElement(root, "devices")
    _text(devices, "emulator", "/usr/libexec/qemu-kvm")
    for number, volume in enumerate(vmi["spec"].get("volumes") or ()):
        devices.append(_disk(number, volume))
    if interface is not None:
        devices.append(_interface(interface))
    devices.append(_agent_channel())
    devices.extend(_host_devices(vmi, domain))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _host_devices(vmi: Json, domain: Domain) -> Iterator[ElementTree.Element]:
    """GPUs in the order of the VMI's spec: first those that got an mdev, then the cards passed through."""
    devices = (vmi["spec"].get("domain") or {}).get("devices") or {}
    names = [f"ua-gpu-{entry['name']}" for entry in devices.get("gpus") or ()]
    names += [f"ua-hostdevice-{entry['name']}" for entry in devices.get("hostDevices") or ()]
    for number, ident in enumerate((*domain.mdevs, *domain.pci)):
        mediated = number < len(domain.mdevs)
        attributes = {"mode": "subsystem", "type": "mdev" if mediated else "pci", "managed": "no"}
        if mediated:
            attributes |= {"model": "vfio-pci", "display": "on", "ramfb": "on"}
        element = ElementTree.Element("hostdev", attributes)
        source = ElementTree.SubElement(element, "source")
        ElementTree.SubElement(source, "address", {"uuid": ident} if mediated else _pci(ident))
        if number < len(names):
            ElementTree.SubElement(element, "alias", {"name": names[number]})
        where = {"type": "pci", "domain": "0x0000", "bus": f"0x{9 + number:02x}", "slot": "0x00", "function": "0x0"}
        ElementTree.SubElement(element, "address", where)
        yield element


def _pci(address: str) -> dict[str, str]:
    domain, bus, rest = address.split(":")
    slot, function = rest.split(".")
    return {"domain": f"0x{domain}", "bus": f"0x{bus}", "slot": f"0x{slot}", "function": f"0x{function}"}


def _disk(number: int, volume: Json) -> ElementTree.Element:
    element = ElementTree.Element("disk", {"type": "file", "device": "disk"})
    path = f"/var/run/kubevirt-ephemeral-disks/disk-data/{volume['name']}/disk.qcow2"
    ElementTree.SubElement(element, "source", {"file": path})
    ElementTree.SubElement(element, "target", {"dev": f"vd{chr(ord('a') + number)}", "bus": "virtio"})
    ElementTree.SubElement(element, "alias", {"name": f"ua-{volume['name']}"})
    return element


def _interface(interface: Json) -> ElementTree.Element:
    element = ElementTree.Element("interface", {"type": "ethernet"})
    ElementTree.SubElement(element, "mac", {"address": str(interface.get("mac", ""))})
    ElementTree.SubElement(element, "target", {"dev": "tap0", "managed": "no"})
    ElementTree.SubElement(element, "model", {"type": "virtio-non-transitional"})
    ElementTree.SubElement(element, "alias", {"name": f"ua-{interface['name']}"})
    return element


def _agent_channel() -> ElementTree.Element:
    element = ElementTree.Element("channel", {"type": "unix"})
    target = {"type": "virtio", "name": "org.qemu.guest_agent.0", "state": "connected"}
    ElementTree.SubElement(element, "target", target)
    return element


def _text(parent: ElementTree.Element, tag: str, text: str, **attributes: str) -> None:
    ElementTree.SubElement(parent, tag, attributes).text = text
