"""A stub server and reversible changes on it."""

import pytest
import urllib3

from utilities.clients import Rest
from utilities.reversible import Reversible
from utilities.watching import Waits

from ..watching.stub import StubApi


@pytest.fixture
def api():
    with StubApi() as server:
        yield server


@pytest.fixture
def waits(api):
    pool = urllib3.PoolManager()
    yield Waits(Rest(api.url, pool, timeout=10), wall=lambda seconds: seconds / 100)
    pool.clear()


@pytest.fixture
def reversible(waits):
    return lambda: Reversible(waits, deletion=1000)
