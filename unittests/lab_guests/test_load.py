"""The dirty rate and working set that a migration asks for."""

import pytest

MIB = 1 << 20
IDLE, IDLE_SET = 50.0 * MIB, 64 * MIB
LOOP = "while :; do dd if=/dev/urandom of=/dev/shm/load bs=1M count=256 conv=notrunc 2>/dev/null; sleep 1; done"


@pytest.fixture
def loaded(new_guest, clock):
    """A guest with an idle device and a loop that rewrites 256 MiB, and the loop's pid."""
    guest = new_guest(idle_dirty_rate=IDLE, idle_working_set=IDLE_SET)
    clock.advance(30)
    pid = int(guest.run(f"nohup sh -c '{LOOP}' > /dev/null 2>&1 & echo $!").text)
    return guest, pid


def test_idle_guest_dirties_what_its_device_dirties(new_guest, clock):
    guest = new_guest(idle_dirty_rate=IDLE, idle_working_set=IDLE_SET)
    assert (guest.dirty_rate(clock.now()), guest.working_set()) == (IDLE, IDLE_SET)


def test_loop_dirties_its_size_over_its_period(loaded, clock):
    guest, _ = loaded
    clock.advance(20)
    period = 256 * MIB / 400e6 + 1  # writing at the speed of /dev/urandom, then the sleep

    assert guest.dirty_rate(clock.now()) == pytest.approx(IDLE + 256 * MIB / period, rel=1e-6)
    assert guest.working_set() == IDLE_SET + 256 * MIB


def test_rate_holds_from_the_second_turn_on(loaded, clock):
    guest, _ = loaded
    clock.advance(3)
    rates = set()
    for _ in range(40):
        clock.advance(0.25)
        rates.add(round(guest.dirty_rate(clock.now())))
    assert len(rates) == 1


def test_nothing_is_dirtied_while_paused(loaded, clock):
    guest, _ = loaded
    clock.advance(10)
    rate = guest.dirty_rate(clock.now())
    guest.pause()
    assert guest.dirty_rate(clock.now()) == 0.0
    clock.advance(100)
    guest.resume()
    assert guest.dirty_rate(clock.now()) == pytest.approx(rate)


def test_killed_loop_dirties_nothing_more(loaded, clock):
    guest, pid = loaded
    clock.advance(10.5)
    guest.kill_process(pid)
    clock.advance(1)  # a dd that was running has ended by itself

    assert guest.dirty_rate(clock.now()) == IDLE
    assert guest.working_set() == IDLE_SET


def test_single_write_fades(new_guest, clock):
    guest = new_guest()
    clock.advance(30)
    guest.run("dd if=/dev/zero of=/dev/shm/x bs=1M count=500 2>/dev/null; sleep 1000")
    during = guest.dirty_rate(clock.now() + 0.1)
    clock.advance(100)

    assert during == pytest.approx(2.5e9)
    assert guest.dirty_rate(clock.now()) < during / 100
    assert guest.working_set() == 0


def test_writing_to_the_disk_is_no_load(new_guest, clock):
    guest = new_guest()
    clock.advance(30)
    guest.run("while :; do dd if=/dev/zero of=/var/log/x bs=1M count=100 2>/dev/null; done")
    guest.run("while :; do echo beat >> /dev/shm/beats; sleep 0.1; done")
    clock.advance(10)
    assert guest.dirty_rate(clock.now()) == 0.0


def test_loops_add_up_and_never_exceed_memory(new_guest, clock):
    guest = new_guest(memory=1 << 30)
    clock.advance(30)
    for name in ("a", "b"):
        guest.run(f"while :; do dd if=/dev/zero of=/dev/shm/{name} bs=1M count=200 2>/dev/null; sleep 1; done")
    clock.advance(10)
    one = 200 * MIB / (200 * MIB / 2.5e9 + 1)

    assert guest.dirty_rate(clock.now()) == pytest.approx(2 * one, rel=1e-6)
    assert guest.working_set() == 400 * MIB


def test_bulk_files_cost_the_lab_no_memory(new_guest, clock):
    guest = new_guest(memory=64 << 30)
    clock.advance(30)
    job = guest.run("dd if=/dev/urandom of=/dev/shm/x bs=1M count=30000 2>/dev/null; stat -c %s /dev/shm/x")
    clock.advance(100)

    assert job.text == f"{30000 * MIB}\n"
    assert guest.run("head -c 4 /dev/shm/x | wc -c").text == "4\n"
