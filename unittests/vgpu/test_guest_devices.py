"""What a guest sees of its vGPU, and that a dead driver sees nothing."""

import pytest

from utilities.errors import GuestError
from utilities.vgpu.guest_devices import GuestDevices

DRIVER_DEAD = GuestError("NVIDIA-SMI has failed", next_step="look at the driver")


class Guest:
    def __init__(self, found, listed):
        self.answers = {"/sbin/lspci": found, "nvidia-smi": listed}

    def run(self, command):
        answer = self.answers[command.split()[0]]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("found", "listed", "devices"),
    [
        ("1", "GPU 0: GRID T4-2Q (UUID: GPU-1)", GuestDevices(1, ("GPU 0: GRID T4-2Q (UUID: GPU-1)",))),
        ("0", "", GuestDevices(0, ())),
        ("1", DRIVER_DEAD, GuestDevices(1, ())),
        ("2", "GPU 0: A\nsome warning\nGPU 1: B", GuestDevices(2, ("GPU 0: A", "GPU 1: B"))),
    ],
)
def test_bus_and_driver_are_both_asked(found, listed, devices):
    assert GuestDevices.read(Guest(found, listed)) == devices


def test_a_guest_that_does_not_answer_at_all_is_an_error():
    with pytest.raises(GuestError):
        GuestDevices.read(Guest(DRIVER_DEAD, DRIVER_DEAD))
