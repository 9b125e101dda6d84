"""The streams of pods: log, exec, attach, port-forward (sheet §6.2, §7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.http.calls import Call
from lab.apiserver.streams.channels import serve_process
from lab.apiserver.streams.handshakes import V4, V5, choose
from lab.apiserver.streams.ports import parse_ports, serve_ports
from lab.apiserver.streams.providers import LogLine, Pod, PodStreams
from lab.clock import micro_timestamp, parse_timestamp

_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class PodRequests:
    """Answers the stream subresources of pods."""

    api: Api
    streams: Callable[[], PodStreams]

    async def answer(self, call: Call, subresource: str, namespace: str, name: str) -> web.StreamResponse:
        """The reply to one of `log`, `exec`, `attach`, `portforward`; raises ApiError before any upgrade."""
        pod = self.api.get(POD, namespace, name)
        if subresource == "log":
            return await self._log(call, pod)
        if subresource == "portforward":
            choose(call.http, (V4,))
            streams, ports = self.streams(), parse_ports(call.texts("ports"))
            return await serve_ports(call.http, ports, lambda port: streams.connect(pod, port))
        return await self._process(call, pod, subresource)

    async def _process(self, call: Call, pod: Pod, subresource: str) -> web.StreamResponse:
        protocol = choose(call.http, (V5, V4))
        container = container_of(pod, call.text("container"))
        stdin, tty = call.flag("stdin"), call.flag("tty")
        if not (stdin or call.flag("stdout") or call.flag("stderr")):
            raise bad_request("you must specify at least 1 of stdin, stdout, stderr")
        if subresource == "attach":
            process = await self.streams().attach(pod, container, stdin=stdin, tty=tty)
        else:
            command = call.texts("command")
            if not command:
                raise bad_request("you must specify at least 1 command for the container")
            process = await self.streams().exec(pod, container, command, stdin=stdin, tty=tty)
        return await serve_process(call.http, protocol, process, stdin=stdin, tty=tty)

    async def _log(self, call: Call, pod: Pod) -> web.StreamResponse:
        container = container_of(pod, call.text("container"))
        response = web.StreamResponse(headers={"Content-Type": _TEXT})
        if not pod["spec"].get("nodeName"):
            await response.prepare(call.http)
            return response  # not scheduled: there is no log yet
        _check_started(pod, container)
        show = _Show(call, self.api.clock.now())
        streams = self.streams()
        past = show.past(streams.log(pod, container, previous=call.flag("previous")))
        coming = streams.follow(pod, container) if call.flag("follow") else None
        if coming is not None:
            response.enable_chunked_encoding()
        await response.prepare(call.http)
        await response.write(past)
        if coming is not None:
            async for line in coming:
                await response.write(show.line(line))
        await response.write_eof()
        return response


def container_of(pod: Pod, wanted: str) -> str:
    """The container a request means; raises 400 when it must say which, or names one that is not there."""
    name, spec = pod["metadata"]["name"], pod["spec"]
    names = [str(entry["name"]) for entry in spec.get("containers") or ()]
    if not wanted:
        if len(names) == 1:
            return names[0]
        choice = " ".join(names)
        raise bad_request(f"a container name must be specified for pod {name}, choose one of: [{choice}]")
    others = (*(spec.get("initContainers") or ()), *(spec.get("ephemeralContainers") or ()))
    if wanted not in names and wanted not in [entry["name"] for entry in others]:
        raise bad_request(f"container {wanted} is not valid for pod {name}")
    return wanted


def _check_started(pod: Pod, container: str) -> None:
    status: dict[str, Any] = pod.get("status") or {}
    for entry in status.get("containerStatuses") or ():
        waiting = (entry.get("state") or {}).get("waiting")
        if (entry.get("lastState") or {}).get("terminated"):
            continue  # between two starts: the log is that of the last one, as the kubelet has it
        if entry.get("name") == container and waiting is not None:
            reason = waiting.get("reason", "ContainerCreating")
            pod_name = pod["metadata"]["name"]
            raise bad_request(f'container "{container}" in pod "{pod_name}" is waiting to start: {reason}')


class _Show:
    """Which lines of a log a client wants, and how."""

    def __init__(self, call: Call, now: float) -> None:
        self._timestamps = call.flag("timestamps")
        self._tail = call.number("tailLines")
        self._limit = call.number("limitBytes")
        seconds = call.number("sinceSeconds")
        self._since = float("-inf") if seconds is None else now - seconds
        if text := call.text("sinceTime"):
            try:
                self._since = parse_timestamp(text)
            except ValueError as error:
                raise bad_request(f"sinceTime: {text!r} is not a time") from error
        if (self._tail or 0) < 0 or (self._limit is not None and self._limit < 1):
            raise ApiError(422, "Invalid", "PodLogOptions: tailLines must not be negative, limitBytes must be positive")

    def past(self, lines: Sequence[LogLine]) -> bytes:
        """What the log holds already."""
        shown = [line for line in lines if line.at >= self._since]
        if self._tail is not None:
            shown = shown[len(shown) - min(self._tail, len(shown)) :]
        return b"".join(self.line(line) for line in shown)[: self._limit]

    def line(self, line: LogLine) -> bytes:
        """One line."""
        stamp = f"{micro_timestamp(line.at)} " if self._timestamps else ""
        return f"{stamp}{line.text}\n".encode()
