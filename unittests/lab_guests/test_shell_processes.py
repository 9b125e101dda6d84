"""Jobs, signals and sessions of the guest's shell."""

import pytest

from lab.guests import Limits


def test_background_job_is_the_program_itself(guest):
    job = guest.run("sleep 100 & echo $!; pgrep -x sleep; pidof sleep; ps -p $! -o pid=,ppid=,comm=,args=")
    pid, by_name, by_program, row = job.text.splitlines()

    assert pid == by_name == by_program
    assert row.split()[0] == pid
    assert row.split()[2:] == ["sleep", "sleep", "100"]


def test_killed_job_reports_its_signal(guest):
    job = guest.run("sleep 100 & kill $!; wait $!; echo $?; sleep 100 & kill -9 $!; wait $!; echo $?; pgrep sleep")

    assert job.text == "143\n137\n"
    assert job.status == 1


def test_wait_ends_with_the_job(guest, clock):
    job = guest.run("(sleep 5; exit 3) & (sleep 2; exit 4) & wait; sleep 1; date +%s")
    clock.advance(5.5)
    assert job.status is None
    clock.advance(1)
    assert job.status == 0


def test_substitution_waits_for_whoever_holds_its_output(guest, clock):
    job = guest.run("x=$( (sleep 3; echo late) & echo soon); echo $x")
    clock.advance(2)
    assert job.status is None
    clock.advance(2)
    assert job.text == "soon late\n"


def test_orphan_belongs_to_init_and_runs_on(guest, clock):
    job = guest.run("sh -c 'sleep 50 >/dev/null 2>&1 & echo $!'")
    pid = int(job.text)
    orphan = guest.kernel.scheduler.table[pid]

    assert orphan.parent is not None
    assert orphan.parent.pid == 1
    clock.advance(51)
    assert pid not in guest.kernel.scheduler.table


def test_job_holding_the_output_keeps_the_session_open(guest, clock):
    job = guest.run("sleep 5 & echo started")
    clock.advance(4)
    assert (job.text, job.status) == ("started\n", None)
    clock.advance(2)
    assert job.status == 0


@pytest.mark.parametrize(
    "job",
    [
        "nohup sh -c 'while :; do sleep 1; done' > /dev/null 2>&1",
        "(while :; do sleep 1; done) > /dev/null 2>&1",
        "while :; do sleep 1; done > /dev/null 2>&1",
        "{ sleep 100; } > /dev/null 2>&1",
        "sleep 100 > /dev/null 2>&1",
        "setsid sleep 100 > /dev/null 2>&1",
    ],
)
def test_job_with_its_output_elsewhere_lets_the_session_end(guest, job):
    started = guest.run(f"{job} & echo $!")

    assert started.status == 0
    assert int(started.text) in {process.pid for process in guest.processes()}


def test_writer_without_reader_dies_of_sigpipe(guest, clock):
    job = guest.run("while :; do echo y; done | head -n 3; echo end")
    clock.advance(1)

    assert job.text == "y\ny\ny\nend\n"
    assert [process.name for process in guest.processes()].count("sh") == 0


def test_stopped_process_stands_still_until_continued(guest, clock):
    job = guest.run("(while :; do echo x >> /tmp/x; sleep 1; done) >/dev/null 2>&1 & echo $!")
    pid = int(job.text)
    clock.advance(3.5)
    guest.run(f"kill -STOP {pid}")
    clock.advance(10)
    assert guest.run("wc -l < /tmp/x").text == "4\n"
    assert guest.run(f"ps -o state= -p {pid}").text == "T\n"
    guest.run(f"kill -CONT {pid}")
    clock.advance(1)
    assert guest.run("wc -l < /tmp/x").text == "6\n"


def test_only_the_owner_and_root_may_signal(guest):
    sshd = guest.kernel.services["sshd"].process.pid

    denied = guest.run(f"kill {sshd}")
    assert denied.status == 1
    assert denied.stderr.decode() == f"kill: ({sshd}) - Operation not permitted\n"
    assert guest.run(f"sudo kill {sshd}").status == 0
    assert not guest.ssh_reachable


def test_process_group_is_signalled_by_negative_pid(guest):
    job = guest.run("setsid sh -c 'sleep 100 & sleep 100' >/dev/null 2>&1 & echo $!")

    assert guest.run("pgrep -c sleep").text == "2\n"
    assert guest.run(f"kill -- -{job.text}").status == 0
    assert guest.run("pgrep -c sleep").text == "0\n"


def test_script_reads_its_own_standard_input(guest):
    job = guest.run("sh -s a b", stdin=b"read x\nfor me\necho $x $1 $#\nif true\nthen echo yes\nfi\n")

    assert job.text == "for me a 2\nyes\n"


def test_loop_without_a_sleep_is_slowed_down(new_guest, clock):
    guest = new_guest(limits=Limits(burst_steps=100, steps_per_second=10.0))
    clock.advance(30)
    guest.run("n=0; while :; do n=$((n+1)); echo $n > /tmp/n; done")
    clock.advance(100)

    steps = int(guest.read_file("/tmp/n")) * 4  # per turn: the turn, `:`, the assignment, echo
    assert 100 < steps <= 100 + 10 * 100 + 4


def test_a_runaway_does_not_slow_others(guest, clock):
    guest.run("while :; do :; done")
    clock.advance(10)
    guest.run("while :; do echo x >> /tmp/x; sleep 1; done")
    clock.advance(10.5)

    assert guest.run("wc -l < /tmp/x").text == "11\n"


@pytest.mark.parametrize("wrapper", ["nohup", "setsid", "sudo -n", "env X=1", "nohup setsid"])
def test_wrappers_become_the_program(guest, wrapper):
    job = guest.run(f"{wrapper} sleep 100 >/dev/null 2>&1 & echo $!")

    assert guest.run("pgrep -x sleep").text == job.text


def test_sudo_runs_as_root(guest):
    assert guest.run("sudo id -u; sudo -u fedora id -un; id -u").text == "0\nfedora\n1000\n"
    assert guest.run("echo x > /etc/motd").status == 1
    assert guest.run("sudo sh -c 'echo x > /etc/motd'; cat /etc/motd").text == "x\n"
