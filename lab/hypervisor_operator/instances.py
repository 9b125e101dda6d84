"""One pod with its process: pulled, started, ready, crashing, stopped."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from lab.apiserver.api import Api
from lab.clock import Timer
from lab.hypervisor_operator.deployment import environment_of, expanded
from lab.hypervisor_operator.logs import Log
from lab.hypervisor_operator.pods import Pod
from lab.hypervisor_operator.starting import Make, Running

Json = Mapping[str, Any]
_STARTS = (2.0, 6.0)  # product seconds until the container runs
_READY, _ASKED_AGAIN = 5.0, 10.0  # initialDelaySeconds and periodSeconds of the readiness probe
_ENDS = (0.3, 1.5)  # product seconds from the signal to the end
_BACK_OFF = (10.0, 300.0)  # between two starts of a container that crashes: first, longest


class Instance:
    """From the creation of its pod until that is gone. `changed` is called whenever its state is another one."""

    def __init__(
        self,
        api: Api,
        make: Make,
        rng: random.Random,
        pod: Pod,
        template: Json,
        changed: Callable[[], None],
    ) -> None:
        self.pod = pod
        self.process: Running | None = None
        self.ready = False
        self.stopped = False
        self.leading = False
        self.led_until: float | None = None  # product time at which it lost the lease without giving it back
        self.logs: list[Log] = []  # one for each process it had
        self._api = api
        self._make = make
        self._rng = rng
        self._container: Json = template["spec"]["containers"][0]
        self._changed = changed
        self._restarts = 0
        self._crashes = 0
        self._started = ""
        self._stopping = False
        self._timers: list[Timer] = [api.clock.call_later(rng.uniform(*_STARTS), self._start)]

    @property
    def runs(self) -> bool:
        """Whether a process of it is there."""
        return self.process is not None

    @property
    def leader_elect(self) -> bool:
        """Whether its process works only with the lease."""
        return self.process is not None and self.process.leader_elect

    def lead(self) -> None:
        """Its process is to work."""
        if self.process is not None and not self.leading:
            self.leading = True
            self.process.lead()

    def stop(self) -> None:
        """Signal it; the process works on until it ends."""
        if self._stopping:
            return
        self._stopping = True
        self._timers.append(self._api.clock.call_later(self._rng.uniform(*_ENDS), self._stop))

    def _stop(self) -> None:
        for timer in self._timers:
            timer.cancel()
        if self.process is not None:
            self.process.end(self._remove)
        else:
            self._remove()

    def _remove(self) -> None:
        self._gone()
        self.stopped = True
        self.pod.remove()
        self._changed()

    def _start(self) -> None:
        image = str(self._container["image"])
        log = Log()
        process = self._make(image, log, self._exited)
        if process is None:
            self.pod.cannot_pull(image)
            return
        self._started = self._api.clock.stamp()
        self.pod.runs(self._restarts)
        self.logs.append(log)
        self.process = process
        self._timers = [self._api.clock.call_later(_READY, self._probe)]
        variables = environment_of(self._api, self._container)
        process.start([expanded(text, variables) for text in self._container.get("args") or ()], variables)
        self._changed()

    def _probe(self) -> None:
        if self.process is not None:
            self.process.probe(self._probed)

    def _probed(self, ready: bool) -> None:
        if self.process is None or self._stopping:
            return
        if not ready:
            self._timers = [self._api.clock.call_later(_ASKED_AGAIN, self._probe)]
            return
        self.ready = True
        self.pod.ready()
        self._changed()

    def _exited(self, code: int) -> None:
        first, longest = _BACK_OFF
        back_off = min(first * 2.0**self._crashes, longest)
        self._crashes += 1
        self._gone()
        self.pod.crashed(code, self._restarts, back_off, self._started)
        self._restarts += 1
        self._timers = [self._api.clock.call_later(back_off, self._start)]
        self._changed()

    def _gone(self) -> None:
        """There is no process any more."""
        if self.leading and self.leader_elect:
            self.led_until = self._api.clock.now()
        self.process = None
        self.ready = self.leading = False
        for log in self.logs:
            log.close()
