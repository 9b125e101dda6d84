"""
A drain of committed VMs

STP: stps/cobaltcore/cr-migration-slot.md

Preconditions:
    - Four hypervisors of one zone without servers
    - Operator told a limit of two
"""

from contextlib import ExitStack

import pytest

from utilities.hypervisors.witness import watched
from utilities.nova.heartbeats import heard

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(cortex_metrics=1, openstack=1, free_hypervisors=4)]

LIMIT = 2
WITHIN = 900
"""Product seconds for a drain of three servers; a healthy one takes a tenth of it."""


@pytest.fixture(scope="session")
def watched_drain(admin, nova, hypervisors, operator, arena, servers_in, watching):
    """Three committed servers drained at a limit of two: the drain, the moves of slots, and what the guests said."""
    source = arena.hosts[0]
    with (
        operator.with_flags(concurrency=LIMIT),
        servers_in(source, "drained-1", "drained-2", "drained-3") as servers,
        ExitStack() as listening,
    ):
        owner = arena.owner_of(servers[0])
        slots = [arena.slot(f"drained-{number}", owner, source, one) for number, one in enumerate(servers, 1)]
        vms = [arena.committed(one, slot) for one, slot in zip(servers, slots, strict=True)]
        guests = [listening.enter_context(heard(nova.servers, one)) for one in servers]
        with (
            arena.holding(slots),
            watched(admin, nova, source, servers, LIMIT) as seen,
            watching(*vms) as moves,
            hypervisors.drained(source) as drain,
            seen.noting(),
        ):
            drain.wait_ended(within=WITHIN)
            drain.wait_evicted()
    return seen, moves, guests


@pytest.fixture
def committed_drain(watched_drain):
    """The drain of the committed servers."""
    return watched_drain[0]


@pytest.fixture
def committed_moves(watched_drain):
    """The slots of the drained servers."""
    return watched_drain[1]


@pytest.fixture
def drained_guests(watched_drain, evidence):
    """What the guests of the drained servers said before and after."""
    for guest in watched_drain[2]:
        evidence.about(guest)
    return watched_drain[2]


@pytest.mark.scenario("CRMS-38", caught_by="drain_limit_ignored")
def test_drain_keeps_the_limit(committed_drain):
    """
    Test that a drain of committed VMs moves all of them, and keeps the limit of migrations in flight.

    Preconditions:
        - Three committed VMs of 8 GiB on one hypervisor
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All VMs have moved, and at no instant were more than two migrations in flight
    """
    drain = committed_drain
    assert drain.all_moved, drain.story()
    assert not drain.exceeded, drain.story()


@pytest.mark.scenario(
    "CRMS-39", caught_by=("cortex_never_follows", "cortex_only_status_follows", "cortex_only_target_follows")
)
def test_slots_follow_a_drain(committed_drain, committed_moves):
    """
    Test that after a drain every slot is where its VM is.

    Preconditions:
        - Three committed VMs of 8 GiB on one hypervisor, each in a slot of 16 GiB
    Steps:
        1. Drain the hypervisor until it is reported as evicted
    Expected:
        - All VMs have moved, and every slot is altogether on the host of its VM, where it is confirmed
    """
    drain, moves = committed_drain, committed_moves
    assert drain.all_moved, drain.story()
    assert moves.followed == {vm.slot for vm in moves.vms}, moves.story()


@pytest.mark.scenario("CRMS-43", caught_by=("booted_on_arrival", "off_on_arrival"))
def test_guests_go_on(committed_drain, drained_guests):
    """
    Test that a process in the guest of each committed VM keeps running over a drain.

    Preconditions:
        - Three committed VMs of 8 GiB on one hypervisor
        - A process in each guest that writes a line a second to the serial console
    Steps:
        1. Read the consoles
        2. Drain the hypervisor until it is reported as evicted
        3. Read the consoles again, until three more lines stand on each
    Expected:
        - All VMs have moved, in each of them the same process of the same boot goes on, and no line is missing but of
          the source's logs
    """
    drain = committed_drain
    assert drain.all_moved, drain.story()
    for guest in drained_guests:
        assert guest.continuity.unbroken, guest.story()
