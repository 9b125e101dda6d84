"""Pause, resume, reboot: what a live migration and its failures do to a guest."""

import itertools

import pytest

from lab.guests import FEDORA, GuestEvent, GuestImage

HEARTBEAT = """cat > /tmp/beat.sh <<'EOF'
n=0
while :; do
    n=$((n + 1))
    echo "$n $(date +%s.%N) $(cut -d' ' -f1 /proc/uptime)" >> "$1"
    sleep "$2"
done
EOF
nohup sh /tmp/beat.sh /tmp/beats 0.5 > /dev/null 2>&1 < /dev/null & echo $!"""


@pytest.fixture
def heartbeat(guest):
    """Pid of a heartbeat that writes /tmp/beats twice a second."""
    return int(guest.run(HEARTBEAT).text)


def beats(guest):
    """Counter, wall clock and uptime of every beat."""
    rows = [line.split() for line in guest.read_file("/tmp/beats").decode().splitlines()]
    return [(int(counter), float(wall), float(uptime)) for counter, wall, uptime in rows]


def identity(guest, pid):
    """What must not change over a move: boot id and start time of the process."""
    stat = guest.read_file(f"/proc/{pid}/stat").decode()
    return guest.read_file("/proc/sys/kernel/random/boot_id"), stat.rpartition(")")[2].split()[19]


def gaps(values):
    return [round(later - earlier, 3) for earlier, later in itertools.pairwise(values)]


def test_heartbeat_is_unbroken_and_its_gap_is_the_pause(guest, clock, heartbeat):
    before = identity(guest, heartbeat)
    clock.advance(3.2)
    guest.pause()
    clock.advance(7.0)
    guest.resume()
    clock.advance(3.0)

    counters, walls, uptimes = zip(*beats(guest), strict=True)
    assert counters == tuple(range(1, len(counters) + 1))
    assert max(gaps(walls)) == 7.5
    assert sorted(gaps(walls))[:-1] == [0.5] * (len(walls) - 2)
    assert set(gaps(uptimes)) == {0.5}
    assert identity(guest, heartbeat) == before


def test_paused_guest_does_nothing(guest, clock, heartbeat):
    clock.advance(2)
    seen = len(beats(guest))
    guest.pause()
    job = guest.run("date +%s")
    clock.advance(100)
    assert len(beats(guest)) == seen
    assert (job.text, job.status) == ("", None)
    assert guest.read_file("/proc/uptime") == b"22.00 22.00\n"

    guest.resume()
    assert job.text == f"{int(clock.now())}\n"


def test_sleep_goes_on_where_it_stood(guest, clock):
    job = guest.run("sleep 10; echo done")
    clock.advance(4)
    guest.pause()
    clock.advance(50)
    guest.resume()
    clock.advance(5.9)
    assert job.status is None
    clock.advance(0.2)
    assert job.text == "done\n"


def test_pausing_and_resuming_twice_is_harmless(guest, clock):
    told = []
    guest.subscribe(told.append)
    for act in (guest.pause, guest.pause, guest.resume, guest.resume):
        act()
        clock.advance(5)

    assert told == [GuestEvent.PAUSED, GuestEvent.RESUMED]
    assert guest.run("cut -d' ' -f1 /proc/uptime").text == "30.00\n"


def test_recorded_boot_time_stays_and_computed_start_moves_with_the_pause(guest, clock, heartbeat):
    boot, start = (guest.run(command).text for command in ("who -b", f"ps -o lstart= -p {heartbeat}"))
    guest.pause()
    clock.advance(90)
    guest.resume()

    assert guest.run("who -b").text == boot
    assert guest.run(f"ps -o lstart= -p {heartbeat}").text != start  # procps computes it from the stepped wall clock


def test_without_an_agent_nobody_sets_the_wall_clock(new_guest, clock):
    image = GuestImage("plain", FEDORA.os_release, FEDORA.kernel, FEDORA.kernel_build, "fedora", agent=False)
    guest = new_guest(image=image)
    clock.advance(30)
    guest.pause()
    clock.advance(60)
    guest.resume()

    assert not guest.agent_connected()
    assert float(guest.run("date +%s").text) == clock.now() - 60


def test_reboot_changes_the_boot_id_and_ends_every_process(guest, clock, heartbeat):
    guest.run("echo kept > kept; echo lost > /tmp/lost; echo lost > /dev/shm/lost")
    clock.advance(5)
    boot_id = guest.boot_id
    told = []
    guest.subscribe(told.append)
    guest.reboot()

    assert guest.boot_id != boot_id
    assert heartbeat not in {process.pid for process in guest.processes()}
    assert not guest.booted
    assert not guest.agent_connected()
    clock.advance(25)
    assert guest.booted
    assert told == [GuestEvent.REBOOTED, GuestEvent.BOOTED]
    assert guest.run("cat kept; ls /tmp /dev/shm; cut -d' ' -f1 /proc/uptime").text == "kept\n/tmp:\n/dev/shm:\n25.00\n"


def test_reboot_from_inside_takes_a_moment(guest, clock):
    boot_id = guest.boot_id
    assert guest.run("reboot").status == 1
    assert guest.run("sudo reboot").status == 0
    clock.advance(1)
    assert guest.boot_id == boot_id
    clock.advance(30)
    assert guest.boot_id != boot_id
    assert guest.booted


def test_paused_guest_stays_paused_over_a_reset(guest, clock):
    guest.pause()
    guest.reboot()
    clock.advance(100)
    assert guest.paused
    assert not guest.booted
    guest.resume()
    clock.advance(25)
    assert guest.booted


def test_pause_while_booting_delays_the_boot(new_guest, clock):
    guest = new_guest()
    clock.advance(15)
    guest.pause()
    clock.advance(100)
    guest.resume()
    clock.advance(4)
    assert not guest.booted
    clock.advance(2)
    assert guest.booted


def test_shutdown_is_final_and_told_once(guest, clock):
    told = []
    guest.subscribe(told.append)
    guest.run("sudo poweroff")
    clock.advance(10)
    guest.shutdown()

    assert told == [GuestEvent.SHUT_DOWN]
    assert (guest.running, guest.booted, guest.agent_connected(), guest.processes()) == (False, False, False, [])
    assert (guest.dirty_rate(), guest.working_set()) == (0.0, 0)
    with pytest.raises(RuntimeError, match="guest vm-1 is off"):
        guest.run("true")
    guest.pause()
    guest.resume()
    guest.reboot()
    assert not guest.running


def test_process_can_be_killed_from_outside(guest, clock, heartbeat):
    clock.advance(2)
    assert guest.kill_process(heartbeat)
    assert not guest.kill_process(heartbeat)
    seen = len(beats(guest))
    clock.advance(5)
    assert len(beats(guest)) == seen
