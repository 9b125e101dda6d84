"""A drain of 200 servers at limit 10 as a test sees it: asked for, watched, and judged; and what that costs.

The lab is a process of its own, and its operator the healthy one; the suite's part is everything that a plan does.
"""

from __future__ import annotations

import json
import resource
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from utilities.clients import connected
from utilities.hypervisors import Hypervisors, Operator
from utilities.hypervisors.witness import watched
from utilities.kubevirt.actor import Actor
from utilities.nova import connected_nova
from utilities.plugin.labprocess import LabChoice, running
from utilities.site import load_site

PROFILE, HOST, LIMIT = "drain-200", "hv-source", 10
_WITHIN = 7200.0  # product seconds


@dataclass(frozen=True, slots=True)
class Measured:
    """Wall seconds of each step, processor seconds of the suite's process, and what was judged."""

    start_of_lab: float
    drain: float
    judging: float
    suite_cpu: float
    servers: int
    product_seconds: float
    verdict: str


def main(output: Path) -> None:
    """Print the table and write `drain_of_200.json`."""
    found = measure()
    for name, value in asdict(found).items():
        print(f"{name.replace('_', ' '):<24} {value if isinstance(value, str) else round(value, 2)}")
    print(f"{'drain and judging':<24} {found.drain + found.judging:.1f} s (target: at most 30 s on two quiet cores)")
    (output / "drain_of_200.json").write_text(json.dumps(asdict(found), indent=1), encoding="utf-8")


def measure() -> Measured:
    """One drain. Raises AssertionError when it is not judged as what it is: all moved, at the limit, never above."""
    with TemporaryDirectory() as directory, ExitStack() as stack:
        begun = time.perf_counter()
        site = load_site(stack.enter_context(running(LabChoice(PROFILE), Path(directory))))
        actor = Actor(site, stack.enter_context(connected(site)).admin)
        nova = stack.enter_context(connected_nova(site, "benchmark"))
        stack.enter_context(Operator(actor).with_flags(concurrency=LIMIT))
        servers = nova.servers.on_host(HOST)
        ready = time.perf_counter()
        with watched(actor, nova, HOST, servers, LIMIT) as seen, Hypervisors(actor, nova).drained(HOST) as drain:
            drain.wait_ended(within=_WITHIN)
        over = time.perf_counter()
        verdict = seen.verdict
        if verdict.exceeded or not seen.all_moved or not seen.cloud.reached(LIMIT):
            raise AssertionError(f"a healthy drain is not judged as one:\n{seen.story()}")
        judged = time.perf_counter()
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Measured(
            start_of_lab=ready - begun,
            drain=over - ready,
            judging=judged - over,
            suite_cpu=used.ru_utime + used.ru_stime,
            servers=len(servers),
            product_seconds=seen.cloud.duration,
            verdict=str(verdict).splitlines()[0],
        )
