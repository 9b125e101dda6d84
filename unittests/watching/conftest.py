"""A stub server and clients of it."""

import pytest
import urllib3

from utilities.clients import Rest

from .stub import StubApi


@pytest.fixture
def api():
    with StubApi() as server:
        yield server


@pytest.fixture
def rest(api):
    pool = urllib3.PoolManager(maxsize=8)
    yield Rest(api.url, pool, timeout=10)
    pool.clear()
