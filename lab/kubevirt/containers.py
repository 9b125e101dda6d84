"""What runs in the lab's containers when a client execs, reads logs or connects (kubevirt sheet §9.3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.errors import ApiError
from lab.apiserver.store import Change
from lab.apiserver.streams.providers import LogLine
from lab.clock import parse_timestamp
from lab.guests import GuestMachine, connect
from lab.kubevirt.domain_xml import domain_name, domain_xml
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.kinds import VMI
from lab.kubevirt.launchers import is_launcher
from lab.scheduling.devices import DevicePlugins
from lab.scheduling.placement import FINAL_PHASES

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, and its exit status."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0


class Finished:
    """A command that has run already; implements `Process`."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.stdout = _read(output.stdout)
        self.stderr = _read(output.stderr)

    async def write(self, data: bytes) -> None:
        """Nobody reads it."""

    def close_stdin(self) -> None:
        """Nobody notices."""

    async def wait(self) -> int:
        """The exit status."""
        return self._output.status

    def kill(self) -> None:
        """It has ended."""


class Containers:
    """The streams of all pods; implements `PodStreams`. Launcher pods know virsh and their environment."""

    def __init__(self, api: Api, domains: Domains, devices: DevicePlugins) -> None:
        self._api = api
        self._domains = domains
        self._devices = devices

    async def exec(self, pod: Json, container: str, command: Sequence[str], *, stdin: bool, tty: bool) -> Finished:
        """Run one of the few commands the lab knows; raises 501 for every other."""
        del stdin, tty
        _check_running(pod, container)
        if is_launcher(pod) and container == "compute":
            program = command[0].rsplit("/", 1)[-1]
            if program == "virsh":
                return Finished(self._virsh(pod, command))
            if program in ("env", "printenv"):
                return Finished(self._environment(pod, command[1:]))
        raise _refusal(pod, f"run {list(command)} in container {container}")

    async def attach(self, pod: Json, container: str, *, stdin: bool, tty: bool) -> Finished:
        """Refuse."""
        del stdin, tty
        raise _refusal(pod, f"attach to container {container}")

    def log(self, pod: Json, container: str, *, previous: bool) -> Sequence[LogLine]:
        """The few lines a container is known to have written."""
        if previous:
            name = pod["metadata"]["name"]
            text = f'previous terminated container "{container}" in pod "{name}" not found'
            raise ApiError(400, "BadRequest", text)
        return [LogLine(at, text) for at, text in self._lines(pod, container)]

    async def follow(self, pod: Json, container: str) -> AsyncIterator[LogLine]:
        """Nothing more is written; ends with the pod."""
        del container
        uid, over = pod["metadata"]["uid"], asyncio.Event()

        def watch(change: Change) -> None:
            now: Json = change.new.obj
            ended = change.type == "DELETED" or (now.get("status") or {}).get("phase") in FINAL_PHASES
            if now["metadata"]["uid"] == uid and ended:
                over.set()

        stop = self._api.listen(POD, watch)
        try:
            await over.wait()
        finally:
            stop()
        nothing: tuple[LogLine, ...] = ()
        for line in nothing:
            yield line

    async def connect(self, pod: Json, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A port of the guest in the pod (masquerade forwards all of them); raises OSError when nobody listens."""
        domain = self._domain(pod)
        if domain is None or not isinstance(domain.guest, GuestMachine):
            raise ConnectionRefusedError(f"nobody listens on port {port}")
        return await connect(domain.guest, port)

    def _virsh(self, pod: Json, command: Sequence[str]) -> Output:
        words = [word for word in command[1:] if word not in ("-c", "--connect") and "://" not in word]
        vmi, domain = self._vmi(pod), self._domain(pod)
        name = "" if vmi is None else domain_name(vmi)
        if not words:
            raise _refusal(pod, "run virsh interactively")
        verb, wanted = words[0], words[1:]
        if verb == "list":
            return Output(_listing(name if domain is not None else "", domain))
        if domain is None or vmi is None or wanted[:1] not in ([name], ["1"]):
            shown = wanted[0] if wanted else ""
            return Output("", f"error: failed to get domain '{shown}'\n\n", 1)
        if verb == "dumpxml":
            interfaces = (vmi.get("status") or {}).get("interfaces") or [None]
            return Output(domain_xml(vmi, domain, interfaces[0]))
        if verb == "domstate":
            return Output(f"{_state(domain)}\n\n")
        raise _refusal(pod, f"run virsh {verb}")

    def _environment(self, pod: Json, names: Sequence[str]) -> Output:
        compute = next(entry for entry in pod["spec"]["containers"] if entry["name"] == "compute")
        known = {entry["name"]: entry.get("value", "") for entry in compute.get("env") or ()}
        known["POD_NAME"] = pod["metadata"]["name"]
        allocation = self._devices.of(pod["metadata"]["uid"])
        known |= allocation.environment() if allocation is not None else {}
        if not names:
            return Output("".join(f"{name}={value}\n" for name, value in known.items()))
        missing = any(name not in known for name in names)
        return Output("".join(f"{known[name]}\n" for name in names if name in known), status=int(missing))

    def _lines(self, pod: Json, container: str) -> list[tuple[float, str]]:
        statuses = (pod.get("status") or {}).get("containerStatuses") or ()
        state: Json = next((entry["state"] for entry in statuses if entry["name"] == container), {})
        started = (state.get("running") or state.get("terminated") or {}).get("startedAt")
        if not started or not (is_launcher(pod) and container == "compute"):
            return []
        at = parse_timestamp(started)
        return [(at, _json_line("Collected all requested hook sidecar sockets")), (at, _json_line("Marked as ready"))]

    def _vmi(self, pod: Json) -> Json | None:
        name = (pod["metadata"].get("annotations") or {}).get("kubevirt.io/domain", "")
        return self._api.find(VMI, pod["metadata"]["namespace"], name)

    def _domain(self, pod: Json) -> Domain | None:
        uid = (pod["metadata"].get("labels") or {}).get("kubevirt.io/created-by", "")
        domain = self._domains.get(uid)
        return domain if domain is not None and domain.pod_uid == pod["metadata"]["uid"] and not domain.ended else None


def _state(domain: Domain) -> str:
    return "paused" if domain.paused else "running"


def _listing(name: str, domain: Domain | None) -> str:
    head = " Id   Name                 State\n------------------------------------\n"
    return f"{head}\n" if domain is None else f"{head} 1    {name:<20} {_state(domain)}\n\n"


def _json_line(message: str) -> str:
    return f'{{"component":"virt-launcher","level":"info","msg":"{message}"}}'


def _read(text: str) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(text.encode())
    reader.feed_eof()
    return reader


def _check_running(pod: Json, container: str) -> None:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    if not any(entry["name"] == container and "running" in entry["state"] for entry in statuses):
        raise ApiError(500, "InternalError", f'Internal error occurred: container not found ("{container}")')


def _refusal(pod: Json, what: str) -> ApiError:
    name = pod["metadata"]["name"]
    return ApiError(501, "NotImplemented", f"the lab does not simulate this of pod {name}: cannot {what}")
