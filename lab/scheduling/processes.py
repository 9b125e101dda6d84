"""What runs inside the pods: started by the kubelet, ended by whoever simulates the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Key = tuple[str, str]


@dataclass(slots=True)
class Process:
    """The main program of one pod."""

    key: Key
    managed: bool = False  # a simulated program (virt-launcher) decides when it ends
    signalled: bool = False  # the kubelet asked it to end
    exit_code: int | None = None


class Processes:
    """Programs by pod UID. Listeners hear of every change with the pod's key."""

    def __init__(self) -> None:
        self._by_uid: dict[str, Process] = {}
        self._listeners: list[Callable[[Key], None]] = []

    def get(self, pod_uid: str) -> Process | None:
        """The program of a pod, None before its start and after its pod is gone."""
        return self._by_uid.get(pod_uid)

    def listen(self, listener: Callable[[Key], None]) -> None:
        """Follow starts, signals and ends."""
        self._listeners.append(listener)

    def start(self, pod_uid: str, key: Key, *, managed: bool = False) -> None:
        """The containers run now."""
        self._by_uid[pod_uid] = Process(key, managed)
        self._tell(key)

    def signal(self, pod_uid: str) -> None:
        """Ask it to end (SIGTERM)."""
        process = self._by_uid.get(pod_uid)
        if process is not None and not process.signalled:
            process.signalled = True
            self._tell(process.key)

    def exit(self, pod_uid: str, code: int = 0) -> None:
        """It ends with this code; a program that ended before keeps its first code."""
        process = self._by_uid.get(pod_uid)
        if process is not None and process.exit_code is None:
            process.exit_code = code
            self._tell(process.key)

    def forget(self, pod_uid: str) -> None:
        """Its pod is gone."""
        self._by_uid.pop(pod_uid, None)

    def _tell(self, key: Key) -> None:
        for listener in tuple(self._listeners):
            listener(key)
