"""Guests on a clock that the test moves."""

from collections.abc import Callable
from typing import Any

import pytest

from lab.clock import ManualClock
from lab.guests import GuestConfig, GuestMachine

BOOT_SECONDS = 20.0


@pytest.fixture
def clock():
    """Product time that stands still until a test advances it."""
    return ManualClock()


@pytest.fixture
def new_guest(clock: ManualClock) -> Callable[..., GuestMachine]:
    """Makes guests that are powered on; arguments are fields of GuestConfig."""

    def make(**settings: Any) -> GuestMachine:
        config = GuestConfig(**{"name": "vm-1", "memory": 2 << 30, "boot_seconds": BOOT_SECONDS, **settings})
        return GuestMachine(config, clock)

    return make


@pytest.fixture
def guest(new_guest: Callable[..., GuestMachine], clock: ManualClock) -> GuestMachine:
    """A guest that has booted."""
    machine = new_guest()
    clock.advance(BOOT_SECONDS)
    return machine
