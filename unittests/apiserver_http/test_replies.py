"""Replies as they are written to a connection."""

import asyncio

import pytest
from aiohttp.abc import AbstractStreamWriter
from aiohttp.test_utils import make_mocked_request

from lab.apiserver.http.replies import raw_reply

MI = 2**20


class Written(AbstractStreamWriter):
    """Takes what a reply writes; `pieces`: the body, write by write."""

    def __init__(self):
        self.headers, self.pieces = None, []

    async def write(self, chunk):
        self.pieces.append(bytes(chunk))

    async def write_eof(self, chunk=b""):
        if chunk:
            self.pieces.append(bytes(chunk))

    async def write_headers(self, status_line, headers):
        self.headers = headers

    async def drain(self):
        pass

    def send_headers(self):
        pass

    def enable_compression(self, encoding="deflate", strategy=None):
        raise AssertionError("nothing here is compressed")

    def enable_chunking(self):
        raise AssertionError("the length is known")


def written(body):
    """What a reply with this body writes."""
    writer = Written()

    async def write():
        reply = raw_reply(body)
        await reply.prepare(make_mocked_request("GET", "/", writer=writer))
        await reply.write_eof()

    asyncio.run(write())
    return writer


@pytest.mark.parametrize("size", [0, 10, MI, 5 * MI + 1])
def test_a_body_arrives_whole_with_its_length(size):
    body = bytes(size)
    writer = written(body)
    assert b"".join(writer.pieces) == body
    assert writer.headers["Content-Length"] == str(size)


def test_a_large_body_is_written_in_pieces():
    assert max(map(len, written(bytes(5 * MI)).pieces)) <= MI
