"""What Cortex answers at each of its three addresses (cortex sheet §2, §7)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from json import JSONDecoder

import orjson

from lab.clock import Clock
from lab.cortex.conf import Conf
from lab.cortex.http.replies import Reply, document, not_found, refusal, text
from lab.cortex.metrics.families import CONTENT_TYPE
from lab.cortex.placements import Recorder
from lab.cortex.process import Process
from lab.cortex.scheduler import Finished, Order, RunFailedError, Scheduler
from lab.cortex.scheduling.admission import admit
from lab.cortex.scheduling.reply import hosts_for_nova
from lab.cortex.scheduling.request import Request, RequestError, parse

PATH = "/scheduler/nova/external"
_METRICS = "/metrics"
_HEALTH = ("/healthz", "/readyz")


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of one Cortex. Whoever asks makes sure that its process is alive."""

    clock: Clock
    process: Process
    conf: Conf
    scheduler: Scheduler
    recorder: Recorder
    rng: random.Random

    def api(self, method: str, path: str, body: bytes) -> Reply:
        """The external scheduler's port. Raises ProcessDiedError: the connection breaks, and the process is gone."""
        if path != PATH:
            return not_found()
        process, since = self.process, self.clock.now()
        try:
            reply, told = document({"hosts": self._hosts(method, body)}), "Success"
        except RequestError as error:
            reply, told = refusal(error.status, error.text), error.text
        took = self.clock.now() - since
        process.metrics.api_duration.observe(method, PATH, str(reply.status), told, value=took)
        return reply

    def _hosts(self, method: str, body: bytes) -> list[str] | None:
        if method != "POST":
            raise RequestError(405, "invalid request method")
        request = admit(parse(body))
        try:
            finished = self.scheduler.finish(_order(request, body))
        except RunFailedError as error:
            raise RequestError(500, f"failed to process scheduling decision: {error}") from error
        self._record(finished)
        conf = self.conf
        return hosts_for_nova(request, finished.run, self.rng, limited=conf.limited, shuffled=conf.shuffled)

    def _record(self, finished: Finished) -> None:
        if self.conf.tracking:
            self.recorder.record(finished)

    def metrics(self, path: str) -> Reply:
        """The port of `--metrics-bind-address`."""
        return text(self.process.metrics.text(), CONTENT_TYPE) if path == _METRICS else not_found()

    def health(self, path: str) -> Reply:
        """The port of `--health-probe-bind-address`."""
        return text(b"ok") if path in _HEALTH else not_found()


def _order(request: Request, body: bytes) -> Order:
    """The first decoder stops behind the document; the one behind it wants nothing more to come."""
    reference = {"name": request.pipeline}
    try:
        orjson.loads(body)
    except orjson.JSONDecodeError:
        text = body.decode(errors="replace").lstrip()
        rest = text[JSONDecoder().raw_decode(text)[1] :].lstrip()
        if rest:
            return Order(reference, request.vm, None, f"invalid character {rest[0]!r} after top-level value")
    return Order(reference, request.vm, request)
