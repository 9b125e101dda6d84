"""Stub gateways by what they do with a connection."""

from contextlib import ExitStack

import pytest

from .gateway import StubGateway


@pytest.fixture
def gateway_that(tmp_path):
    """A gateway that serves each connection so: `gateway_that(serve)`."""
    with ExitStack() as stack:
        yield lambda serve: stack.enter_context(StubGateway(tmp_path, serve))
