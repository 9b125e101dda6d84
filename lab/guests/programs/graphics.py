"""lspci and nvidia-smi."""

import re
from time import gmtime, strftime

from lab.guests.errors import NotSimulatedError
from lab.guests.hardware import Gpu, PciDevice
from lab.guests.kernel import Call, UsageError
from lab.guests.programs.options import parse_options

_NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running.\n\n"
)
_DRIVER_STATUS, _NO_DEVICE_STATUS = 9, 6


def lspci(call: Call) -> int:
    """`lspci [-n | -nn] [-k] [-v] [-D] [-d vendor:device] [-s address]`."""
    options = parse_options(call, "nkDv", "ds")
    if "v" in options:
        raise NotSimulatedError("option -v")
    numbers = "".join(argument for argument in call.args if re.fullmatch(r"-[nkD]+", argument)).count("n")
    for device in call.kernel.hardware.devices():
        if _wanted(device, options.values.get("d"), options.values.get("s")):
            domain = "0000:" if "D" in options else ""
            call.out(f"{domain}{device.address} {_description(device, numbers)}\n")
            if "k" in options:
                call.out(_kernel_lines(device))
    return 0


def _wanted(device: PciDevice, identity: str | None, address: str | None) -> bool:
    if identity is not None:
        vendor, colon, product = identity.lower().partition(":")
        if not colon:
            raise UsageError("-d: ':' expected")
        if (vendor and vendor != device.vendor_id) or (product and product != device.pci_id.split(":")[1]):
            return False
    return address is None or address.removeprefix("0000:") == device.address


def _description(device: PciDevice, numbers: int) -> str:
    revision = f" (rev {device.revision})" if device.revision else ""
    if numbers == 1:
        return f"{device.class_id}: {device.pci_id}{revision}"
    names = f"{device.vendor} {device.name}".strip()
    if numbers == 0:
        unknown = f" {device.pci_id.split(':')[1]}" if device.name == "Device" else ""
        return f"{device.class_name}: {names}{unknown}{revision}"
    return f"{device.class_name} [{device.class_id}]: {names} [{device.pci_id}]{revision}"


def _kernel_lines(device: PciDevice) -> str:
    facts = {
        "Subsystem": device.subsystem,
        "Kernel driver in use": device.driver,
        "Kernel modules": device.modules,
    }
    return "".join(f"\t{name}: {value}\n" for name, value in facts.items() if value)


def nvidia_smi(call: Call) -> int:
    """`nvidia-smi`, `-L`, `--query-gpu=FIELDS --format=csv[,noheader][,nounits]`."""
    hardware = call.kernel.hardware
    if not hardware.driver_alive:
        call.out(_NO_DRIVER)
        return _DRIVER_STATUS
    gpu = hardware.gpu
    if gpu is None:
        call.out("No devices were found\n")
        return _NO_DEVICE_STATUS
    args = list(call.args)
    if not args:
        call.out(_table(call, gpu))
        return 0
    if args in (["-L"], ["--list-gpus"]):
        call.out(f"GPU 0: {gpu.name} (UUID: GPU-{gpu.uuid})\n")
        return 0
    query = [argument.partition("=")[2] for argument in args if argument.startswith("--query-gpu=")]
    formats = [argument.partition("=")[2] for argument in args if argument.startswith("--format=")]
    if len(query) != 1 or len(args) != len(query) + len(formats) or not formats or formats[0].split(",")[0] != "csv":
        raise NotSimulatedError(f"nvidia-smi {' '.join(args)}")
    return _query(call, gpu, query[0].split(","), formats[0].split(",")[1:])


def _query(call: Call, gpu: Gpu, fields: list[str], modifiers: list[str]) -> int:
    memory = gpu.memory_mib
    facts = {
        "name": gpu.name,
        "gpu_name": gpu.name,
        "uuid": f"GPU-{gpu.uuid}",
        "gpu_uuid": f"GPU-{gpu.uuid}",
        "index": "0",
        "count": "1",
        "driver_version": call.kernel.hardware.driver or "",
        "pci.bus_id": call.kernel.hardware.gpu_bus_id,
        "memory.total": "[N/A]" if memory is None else f"{memory} MiB",
        "memory.used": "0 MiB",
        "utilization.gpu": "0 %",
        "pstate": "P8",
    }
    wanted = [field.strip() for field in fields]
    for field in wanted:
        if field not in facts:
            call.out(f'Field "{field}" is not a valid field to query.\n\n')
            return 2
    if "noheader" not in modifiers:
        units = {"memory.total": " [MiB]", "memory.used": " [MiB]", "utilization.gpu": " [%]"}
        call.out(", ".join(field + units.get(field, "") for field in wanted) + "\n")
    values = [facts[field] for field in wanted]
    if "nounits" in modifiers:
        values = [re.sub(r" (MiB|%)$", "", value) for value in values]
    call.out(", ".join(values) + "\n")
    return 0


def _table(call: Call, gpu: Gpu) -> str:
    driver, cuda = call.kernel.hardware.driver or "", call.kernel.image.cuda or "N/A"
    now = strftime("%a %b %e %H:%M:%S %Y", gmtime(call.kernel.time.realtime()))
    memory = "N/A" if gpu.memory_mib is None else f"{gpu.memory_mib}MiB"
    bar = "-----------------------------------------"
    edge = f"+{bar}+------------------------+----------------------+"
    return f"""{now}
+{bar}------------------------------------------------+
| NVIDIA-SMI {driver:<22} Driver Version: {driver:<14} CUDA Version: {cuda:<8} |
|{bar}+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  {gpu.name:<31}On  |   {call.kernel.hardware.gpu_bus_id} Off |                    0 |
| N/A   N/A    P8             N/A /  N/A  |       0MiB / {memory:>9} |      0%      Default |
|                                         |                        |                  N/A |
{edge}

+{bar}------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|  No running processes found                                                             |
+{bar}------------------------------------------------+
"""
