"""Fixtures of plans about hypervisors; a plan's conftest imports those that it uses."""

from __future__ import annotations

import pytest

from utilities.hypervisors.hypervisors import Hypervisors
from utilities.hypervisors.operator import Operator
from utilities.kubevirt.actor import Actor
from utilities.nova import Nova


@pytest.fixture(scope="session")
def hypervisors(admin: Actor, nova: Nova) -> Hypervisors:
    """The hypervisors of the site."""
    return Hypervisors(admin, nova)


@pytest.fixture(scope="session")
def operator(admin: Actor) -> Operator:
    """The operator that takes them out of service."""
    return Operator(admin)
