"""A process that dies, and the one that comes after it (cortex sheet §3, row B5 of §5)."""

import asyncio

import aiohttp
import orjson
import pytest

from lab.clock import ManualClock
from lab.cortex.conf import Conf
from lab.cortex.http.answers import PATH
from lab.cortex.kinds import DECISION, RESERVATION
from lab.cortex.metrics.families import Metrics
from lab.cortex.process import Process
from unittests.lab_cortex.bed import STEERING, Bed
from unittests.lab_cortex_scheduling.bodies import VM, body


@pytest.fixture
def bed():
    """Revision R2, and a source slot without its part of the spec."""
    found = Bed(Conf(revision="R2"))
    found.host("a")
    found.slot("src-0", "src", confirmed=[VM], part=False)
    return found


def test_the_connection_breaks_and_counters_begin_again(bed):
    bed.ask("a", hint="resize")
    assert bed.count("requests", STEERING) == 1
    assert bed.ask("a") == (0, b"")
    assert not bed.cortex.process.alive
    assert bed.ask("a", hint="resize") == (0, b"")
    bed.clock.advance(5)
    assert bed.cortex.process.alive
    assert bed.metrics.requests.values == {}
    assert bed.hosts("a", hint="resize") == ["a"]


def test_the_later_revision_lives():
    bed = Bed()
    bed.slot("src-0", "src", confirmed=[VM], part=False)
    assert bed.hosts("a") == ["a"]
    assert bed.count("migration_slots", "no_source_slot") == 1


def test_over_a_socket(bed):
    async def asked():
        front = bed.cortex.front
        await front.start()
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60)) as session:
                for url in (f"{front.url}{PATH}", f"{front.url}{PATH}"):
                    with pytest.raises(aiohttp.ClientError):
                        async with session.post(url, json=body("a", pipeline=STEERING)):
                            pass
                for url in (front.metrics_url, f"{front.health_url}/healthz"):
                    with pytest.raises(aiohttp.ClientError):
                        async with session.get(url):
                            pass
        finally:
            await front.stop()

    asyncio.run(asked())


def test_a_decision_kills_again_and_again_until_its_cause_goes(bed):
    assert bed.decide("d", "a") == {}
    assert not bed.cortex.process.alive
    bed.clock.advance(60)
    deaths = bed.cortex.process._deaths
    assert deaths >= 2
    bed.api.delete(RESERVATION, "", "src-0")
    bed.clock.advance(600)
    assert bed.cortex.process.alive
    assert bed.api.get(DECISION, "", "d")["status"]["result"]["targetHost"] == "a"


def test_each_start_takes_longer():
    clock = ManualClock()
    process = Process(clock, Metrics)
    waits = []
    for _ in range(8):
        died = clock.now()
        process.die()
        process.die()  # once is enough
        while not process.alive:
            clock.advance(1)
        waits.append(clock.now() - died)
    assert waits == [2, 12, 22, 42, 82, 162, 302, 302]
    clock.advance(601)
    process.die()
    clock.advance(2)
    assert process.alive


def test_what_the_answer_looks_like_for_one_who_asks_without_a_socket(bed):
    content = orjson.dumps(body("a", pipeline=STEERING))
    assert bed.cortex.front.answer("POST", PATH, content) is None
