"""The workload: started, identified, read and waited for by plain commands."""

import pytest

from utilities.errors import GuestError, NotEnoughEvidence
from utilities.guest.workload import MemoryLoad, Workload
from utilities.history import Beat

STAT = "4711 (sh (a b) c) S 1 4711 4711 0 -1 4194304 135 0 0 0 0 0 0 0 20 0 1 0 98765 2318336 211"
BOOT_ID = "0d0c0e6f-0a5c-4b36-9d1e-93a1f2f6b2a5"


class Guest:
    """Answers commands by what they begin with, and remembers them."""

    def __init__(self, **answers):
        self.answers = {"cat >": "", **answers}
        self.asked = []

    def run(self, command, *, stdin=""):
        self.asked.append((command, stdin))
        answer = next(text for start, text in self.answers.items() if command.startswith(start))
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_it_is_started_in_the_background_from_a_script():
    guest = Guest(nohup="4711")
    workload = Workload.start(guest)
    (_, script), (command, _) = guest.asked
    assert "while :" in script
    assert workload.pid == 4711
    assert workload.file in command
    assert command.endswith("> /dev/null 2>&1 & echo $!")


def test_it_beats_as_often_as_it_is_told_and_is_waited_for_as_patiently():
    guest = Guest(nohup="4711", **{"n=0": ""})
    workload = Workload.start(guest, interval=5)
    workload.wait_beats(3)
    assert f"{workload.file} 5 >" in guest.asked[1][0]
    assert "sleep 5;" in guest.asked[2][0]


def test_two_workloads_do_not_share_a_file():
    assert Workload.start(Guest(nohup="1")).file != Workload.start(Guest(nohup="1")).file


def test_its_identity_is_read_whatever_it_is_called():
    guest = Guest(**{"cat /proc/4711/stat": f"{STAT}\n{BOOT_ID}"})
    identity = Workload(guest, 4711, "/tmp/b").snapshot()
    assert (identity.pid, identity.start_ticks, identity.boot_id) == (4711, 98765, BOOT_ID)


def test_a_process_that_is_gone_is_an_error_of_the_guest():
    gone = GuestError("No such file", next_step="look")
    with pytest.raises(GuestError, match="No such file"):
        Workload(Guest(**{"cat /proc": gone}), 1, "/tmp/b").snapshot()


@pytest.mark.parametrize(
    ("output", "beats"),
    [
        ("1 100.5\n2 101.25\nend", (Beat(1, 100.5), Beat(2, 101.25))),
        ("1 100.5\n2 101.2end", (Beat(1, 100.5),)),  # caught in the middle of writing
        ("end", ()),
    ],
)
def test_whole_beats_are_read(output, beats):
    assert Workload(Guest(**{"cat /tmp/b; echo end": output}), 1, "/tmp/b").beats() == beats


def test_a_damaged_file_is_not_read_as_beats():
    with pytest.raises(NotEnoughEvidence, match="line 1"):
        Workload(Guest(**{"cat /tmp/b": "oops\nend"}), 1, "/tmp/b").beats()


def test_the_guest_itself_waits_for_beats():
    guest = Guest(**{"n=0; while": ""})
    Workload(guest, 1, "/tmp/b").wait_beats(7)
    ((command, _),) = guest.asked
    assert "$(wc -l < /tmp/b) -lt 7" in command
    assert "|| exit 1" in command


def test_the_load_rewrites_memory_for_ever():
    guest = Guest(nohup="99")
    assert MemoryLoad.start(guest, mebibytes=64).pid == 99
    assert "of=/dev/shm/load bs=1M count=64 conv=notrunc" in guest.asked[0][0]
