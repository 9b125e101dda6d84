"""How long after a change a wait sees it, and what that costs: our watch, `timeout_sampler`, the wrapper's wait."""

from __future__ import annotations

import json
import logging
import random
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ocp_resources.pod import Pod
from timeout_sampler import TimeoutSampler

from utilities.clients import PODS, Cluster, connect
from utilities.history import dig
from utilities.plugin.labprocess import LabChoice, running
from utilities.site import load_site
from utilities.watching import Waits, Watched

ROUNDS = 8  # waits at once, each for a pod of its own
NAMESPACE = "default"
_BETWEEN = (22.0, 24.0)  # wall seconds from the start of a wait to the change: short for a migration


@dataclass(frozen=True, slots=True)
class Result:
    """One way to wait. delays: wall seconds from the change to its being seen, one per round."""

    name: str
    median: float
    worst: float
    requests: float  # per wait


class _Counting:
    """Counts the requests that go out of a connection pool."""

    def __init__(self, cluster: Cluster) -> None:
        self._pool = cluster.rest.pool
        self._send = self._pool.urlopen
        self.count = 0
        self._pool.urlopen = self._counted  # type: ignore[method-assign]  # this is what we measure

    def _counted(self, *args: object, **kwargs: object) -> object:
        self.count += 1
        return self._send(*args, **kwargs)  # type: ignore[arg-type]


def main(output: Path) -> None:
    """Print the table and write `waits.json`."""
    logging.disable(logging.INFO)  # the wrapper and the sampler tell every attempt
    results = measure()
    ours = results[0]
    print(f"{'wait':<36} {'median':>10} {'worst':>10} {'requests':>9} {'x slower':>9}")
    for result in results:
        ratio = result.median / ours.median
        print(f"{result.name:<36} {result.median:>9.4f}s {result.worst:>9.4f}s {result.requests:>9.1f} {ratio:>9.0f}")
    (output / "waits.json").write_text(json.dumps([asdict(result) for result in results], indent=1), encoding="utf-8")


def measure() -> list[Result]:
    """The same change waited for in three ways, against one lab."""
    with TemporaryDirectory() as directory, running(LabChoice("vgpu", time_scale=1.0), Path(directory)) as path:
        site = load_site(path)
        with connect(site.kubernetes, site.kubernetes) as watcher, connect(site.kubernetes, site.kubernetes) as changer:
            waits = Waits(watcher.rest, site.wall)
            ways: dict[str, Callable[[str], object]] = {
                "our watch": lambda name: waits.wait_for(
                    Watched(PODS, NAMESPACE, name), _labelled, expecting="labelled", within=60
                ),
                "timeout_sampler, sleep=1": lambda name: _sampled(watcher, name),
                "wrapper's wait_for_condition": lambda name: Pod(
                    client=watcher.dynamic, name=name, namespace=NAMESPACE
                ).wait_for_condition(condition="Seen", status="True", timeout=60),
            }
            return [_measured(name, way, watcher, changer) for name, way in ways.items()]


def _measured(name: str, way: Callable[[str], object], watcher: Cluster, changer: Cluster) -> Result:
    counting = _Counting(watcher)
    pauses = random.Random(name)
    with ExitStack() as pods, ThreadPoolExecutor(2 * ROUNDS) as pool:
        names = [pods.enter_context(_pod(changer, f"waited-{number}")) for number in range(ROUNDS)]
        seen = [pool.submit(_timed, way, pod) for pod in names]
        changed = [pool.submit(_change, changer, pod, pauses.uniform(*_BETWEEN)) for pod in names]
        delays = [max(0.0, one.result() - other.result()) for one, other in zip(seen, changed, strict=True)]
    return Result(name, statistics.median(delays), max(delays), counting.count / ROUNDS)


def _timed(way: Callable[[str], object], pod: str) -> float:
    way(pod)
    return time.monotonic()


def _change(cluster: Cluster, pod: str, after: float) -> float:
    time.sleep(after)
    body = {"status": {"conditions": [{"type": "Seen", "status": "True"}]}}
    cluster.rest.patch(PODS, pod, body, NAMESPACE, kind="strategic", subresource="status")
    return time.monotonic()


def _labelled(pod: object) -> bool:
    return any(entry.get("type") == "Seen" for entry in dig(pod, "status", "conditions") or ())


def _sampled(cluster: Cluster, name: str) -> None:
    def look() -> bool:
        return _labelled(cluster.rest.get(PODS, name, NAMESPACE))

    for found in TimeoutSampler(wait_timeout=60, sleep=1, func=look):
        if found:
            return


@contextmanager
def _pod(cluster: Cluster, name: str) -> Iterator[str]:
    container = {"name": "c", "image": "registry.k8s.io/pause:3.10"}
    spec = {"nodeSelector": {"never": "there"}, "containers": [container]}
    cluster.rest.create(PODS, {"metadata": {"name": name}, "spec": spec}, NAMESPACE)
    try:
        yield name
    finally:
        cluster.rest.delete(PODS, name, NAMESPACE)
