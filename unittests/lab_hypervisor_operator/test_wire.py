"""Requests in the same process: when they arrive, and when their replies come."""

import asyncio
import random

import pytest
from aiohttp import web

from lab.clock import ManualClock
from lab.hypervisor_operator.nearby import Near
from lab.hypervisor_operator.requests import live_migrate, outcome, server
from lab.hypervisor_operator.wire import UNREACHABLE, HttpReply, HttpRequest
from unittests.lab_hypervisor_operator.nova import Direct

REQUEST = HttpRequest("POST", "http://cloud.test/compute/servers/x?a=b&c=", {"X-Auth-Token": "t"}, b'{"migrate":null}')

WANTED = "Expected HTTP response code [201 202] when accessing [POST URL]"


class Served:
    """Handlers for both, and when they were called."""

    def __init__(self, clock):
        self.clock = clock
        self.at = []
        self.seen = None
        self.held = 0.0

    def handle(self, _):
        self.at.append(self.clock.now())
        return HttpReply(202, {}, b"")

    async def handle_later(self, request):
        self.at.append(self.clock.now())
        body = b"".join([chunk async for chunk in request.content.iter_any()])
        self.seen = (
            request.method,
            request.rel_url.raw_path,
            dict(request.query),
            request.headers["x-auth-token"],
            body,
        )
        if self.held:
            passed = asyncio.Event()
            self.clock.call_later(self.held, passed.set)
            await passed.wait()
        return web.json_response({"ok": True}, status=202)


@pytest.mark.parametrize("kind", [Direct, Near])
def test_half_the_time_there_and_half_back(kind):
    clock = ManualClock()
    served, got = Served(clock), []
    handle = served.handle if kind is Direct else served.handle_later
    wire = kind(handle, clock, random.Random(1), (0.1, 0.1))
    begun = clock.now()
    wire.send(REQUEST, lambda reply: got.append((clock.now(), reply.status)))
    assert got == served.at == []
    clock.advance(1)
    assert served.at == [pytest.approx(begun + 0.05)]
    assert got == [(pytest.approx(begun + 0.1), 202)]


def test_a_handler_sees_a_request_as_from_a_socket():
    clock = ManualClock()
    served, got = Served(clock), []
    Near(served.handle_later, clock, random.Random(1)).send(REQUEST, got.append)
    clock.advance(1)
    assert served.seen == ("POST", "/compute/servers/x", {"a": "b", "c": ""}, "t", b'{"migrate":null}')
    assert got[0].json == {"ok": True}
    assert got[0].header("content-type").startswith("application/json")


def test_a_handler_that_waits_is_waited_for():
    async def run():
        clock = ManualClock()
        served, got = Served(clock), []
        served.held = 30.0
        Near(served.handle_later, clock, random.Random(1)).send(REQUEST, got.append)
        clock.advance(20)
        await asyncio.sleep(0)
        assert got == []
        clock.advance(20)
        for _ in range(5):
            await asyncio.sleep(0)
        clock.advance(1)
        assert [reply.status for reply in got] == [202]

    asyncio.run(run())


def test_a_server_that_hangs_never_answers():
    clock = ManualClock()
    got = []
    Direct(lambda _: None, clock, random.Random(1)).send(REQUEST, got.append)
    clock.advance(1000)
    assert got == []


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (HttpReply(202), ""),
        (HttpReply(203), f"{WANTED}, but got 203 instead: "),
        (HttpReply(404, {}, b"gone"), f"{WANTED}, but got 404 instead: gone"),
        (HttpReply(UNREACHABLE, {}, b"EOF"), 'Post "URL": EOF'),
        (HttpReply(202, {}, b"<html>"), "unexpected end of JSON input"),
    ],
)
def test_replies_are_judged_as_gophercloud_does(reply, error):
    request = live_migrate("x")
    assert outcome(request.method, "URL", request.accepted, reply).error == error


def test_the_microversion_is_the_operators():
    assert (server("x").microversion, live_migrate("x").body) == (
        "2.90",
        {"os-migrateLive": {"block_migration": False, "host": None}},
    )
