"""
What becomes of a committed VM and its slot when Nova migrates it

STP: stps/cobaltcore/cr-migration-slot.md

Preconditions:
    - Four hypervisors of one zone without servers
    - VMs of 8 GiB in slots of 16 GiB on one of them
    - One other host with a free slot of the same project and flavor group; 12 GiB left on every other one
"""

import pytest

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(cortex_metrics=1, openstack=1, free_hypervisors=4)]

WINDOW = 60
"""Product seconds from the source listing the VM no more to the slot being where the VM is."""


@pytest.fixture(scope="module")
def plain_move(nova, crowd, watching):
    """A server in no slot live-migrated by Nova between the same hosts."""
    server = crowd.servers["plain"]
    with watching(beside=(server,)) as moves:
        nova.migrations.live_migrate(server).wait("completed")
    return moves


@pytest.fixture(scope="module")
def stranded_move(nova, crowd, watching):
    """A committed server live-migrated to a host without room for its slot, which an administrator asked for."""
    server = crowd.servers["stranded"]
    target = next(name for name in crowd.others if not nova.hosts.named(name).servers)
    with watching(crowd.committed("stranded")) as moves:
        nova.migrations.live_migrate(server, to=target).wait("completed")
    return moves


@pytest.fixture(scope="module")
def shared_move(nova, crowd, watching):
    """One of two servers in a slot live-migrated to a host with room for the slot."""
    moving, staying = (crowd.committed(name, "twins") for name in ("twin-1", "twin-2"))
    with watching(moving, staying) as moves:
        nova.migrations.live_migrate(moving.server, to=crowd.slot_host).wait("completed")
    return moves


@pytest.mark.scenario(
    "CRMS-31",
    caught_by=(
        "cortex_flavor_size_counted",
        "cortex_weights_swapped",
        "cortex_foreign_blocks_ignored",
        "cortex_blocks_ignored",
        "cortex_intent_read_as_hint",
    ),
)
def test_committed_vm_lands_on_the_slot_host(steered_move, crowd):
    """
    Test that a committed VM that Nova live-migrates lands on the slot host.

    Preconditions:
        - Slot host with one VM, so that every other host is emptier
    Steps:
        1. Live-migrate the VM without naming a host
    Expected:
        - The VM is on the slot host
    """
    moves = steered_move
    (server,) = moves.servers
    assert moves.host(server) == crowd.slot_host, moves.story()


@pytest.mark.scenario("CRMS-32", caught_by="cortex_any_slot_steers")
def test_ordinary_vm_lands_where_it_is_emptier(plain_move, crowd):
    """
    Test that an ordinary VM between the same hosts lands on an emptier host.

    Preconditions:
        - VM in no slot on the same source host
        - Slot host fuller than every other host
    Steps:
        1. Live-migrate the VM without naming a host
    Expected:
        - The VM is on a host other than the source and the slot host
    """
    moves = plain_move
    (server,) = moves.servers
    assert moves.host(server) in crowd.others, moves.story()


@pytest.mark.scenario(
    "CRMS-33",
    caught_by=(
        "cortex_never_follows",
        "cortex_only_status_follows",
        "cortex_only_target_follows",
        "cortex_flavor_size_counted",
        "cortex_weights_swapped",
    ),
)
def test_slot_follows(steered_move):
    """
    Test that the slot of a migrated VM follows it, and nothing of it stays on the source host.

    Steps:
        1. Live-migrate the VM without naming a host
    Expected:
        - The slot is altogether on the VM's new host, where the VM is confirmed
    """
    moves = steered_move
    (vm,) = moves.vms
    assert moves.host(vm.server) != vm.server.host, moves.story()
    assert moves.place(vm.slot).settled_with(vm.server.id, moves.host(vm.server)), moves.story()


@pytest.mark.scenario(
    "CRMS-34",
    caught_by=(
        "cortex_never_follows",
        "cortex_only_status_follows",
        "cortex_only_target_follows",
        "cortex_flavor_size_counted",
        "cortex_weights_swapped",
    ),
)
def test_window_is_short(steered_move):
    """
    Test that VM and slot are apart for a short time only: the window in which memory is held twice is at most 60 s.

    Steps:
        1. Live-migrate the VM without naming a host
        2. Add up what the VM and its slot hold on all hosts, from before the request until all is calm
    Expected:
        - The slot is on the VM's new host at most 60 s after the VM has left, and nothing is held twice at the end
    """
    moves = steered_move
    (vm,) = moves.vms
    assert moves.blocking.peak > 0, moves.story()
    assert moves.window(vm) <= WINDOW, moves.story()
    assert moves.blocking.closed, moves.story()


@pytest.mark.scenario("CRMS-35", caught_by="cortex_follows_without_room")
def test_slot_does_not_follow_without_room(stranded_move):
    """
    [NEGATIVE] Test that a slot cannot follow its VM to a host without room for it.

    Steps:
        1. Live-migrate the VM to a host with room for the VM and not for its slot
    Expected:
        - The slot is where it was and was never meant for another host, and the VM is expected in it no more
    """
    moves = stranded_move
    (vm,) = moves.vms
    assert moves.host(vm.server) != vm.server.host, moves.story()
    assert moves.targets(vm.slot) == (vm.server.host,), moves.story()
    assert vm.server.id not in moves.place(vm.slot).expected, moves.story()


@pytest.mark.scenario("CRMS-36", caught_by="cortex_follows_one_of_several")
def test_shared_slot_does_not_follow(shared_move):
    """
    [NEGATIVE] Test that a slot with two VMs cannot follow the one that moves.

    Preconditions:
        - Two VMs of 8 GiB in one slot of 16 GiB
    Steps:
        1. Live-migrate one of them to a host with room for the slot
    Expected:
        - The slot is where it was and was never meant for another host, and the VM that stayed is still confirmed in it
    """
    moves = shared_move
    moved, stayed = moves.vms
    assert moves.host(moved.server) != moved.server.host, moves.story()
    assert moves.targets(moved.slot) == (moved.server.host,), moves.story()
    assert moves.place(moved.slot).confirmed.get(stayed.server.id) == stayed.server.host, moves.story()


@pytest.mark.scenario("CRMS-37", caught_by=("cortex_confirmations_stay", "cortex_follows_without_room"))
def test_vm_that_left_is_not_confirmed(stranded_move):
    """
    Test that a VM that left its slot is confirmed in it no more.

    Steps:
        1. Live-migrate the VM to a host with room for the VM and not for its slot
    Expected:
        - The slot confirms no VM
    """
    moves = stranded_move
    (vm,) = moves.vms
    assert moves.host(vm.server) != vm.server.host, moves.story()
    assert moves.place(vm.slot).confirmed == {}, moves.story()


@pytest.mark.scenario("CRMS-40", caught_by="off_on_arrival")
def test_vm_stays_active(steered_move):
    """
    Test that Nova shows a committed VM as active and powered on throughout a steered migration.

    Steps:
        1. Live-migrate the VM without naming a host, and look at it again and again meanwhile
    Expected:
        - The VM was migrating, and never in another status than active or migrating, nor powered off
    """
    moves = steered_move
    (server,) = moves.servers
    seen = moves.states(server)
    assert moves.host(server) != server.host, moves.story()
    assert ("ACTIVE", 1) in seen, moves.story()
    assert seen <= {("ACTIVE", 1), ("MIGRATING", 1)}, moves.story()


@pytest.mark.scenario("CRMS-41", caught_by=("booted_on_arrival", "off_on_arrival"))
def test_guest_goes_on(steered_move, steered_guest):
    """
    Test that a process in the guest of a committed VM keeps running over a steered migration.

    Preconditions:
        - A process in the guest that writes a line a second to the serial console
    Steps:
        1. Read the console
        2. Live-migrate the VM without naming a host
        3. Read the console again, until three more lines stand there
    Expected:
        - The VM is on another host, where the same process of the same boot goes on, and no line is missing but of
          the source's log
    """
    assert steered_move.host(steered_guest.server) != steered_guest.server.host, steered_move.story()
    assert steered_guest.continuity.unbroken, steered_guest.story()
