"""What a guest writes to its serial console, and what is kept of it."""

import pytest

from lab.guests import parse_user_data
from lab.guests.serial import KEPT, SerialLog

BOOT, BEFORE = 20.0, 0.5


def beating(device):
    """A script that writes a line a second to a device."""
    return f"#!/bin/sh\nn=0\nwhile :; do\n  n=$((n + 1))\n  echo beat $n > {device}\n  sleep 1\ndone\n"


def test_a_boot_is_told_and_ends_with_a_prompt(new_guest, clock):
    guest = new_guest(name="ohooc-1")
    clock.advance(BOOT - BEFORE)
    assert "login" not in guest.console.text
    clock.advance(2 * BEFORE)
    assert guest.console.text.splitlines()[0] == guest.config.image.pretty_name
    assert guest.console.text.endswith("\nohooc-1 login: ")


@pytest.mark.parametrize("device", ["/dev/console", "/dev/ttyS0"])
def test_lines_of_a_process_stand_there(new_guest, clock, device):
    guest = new_guest(user_data=parse_user_data(beating(device)))
    clock.advance(BOOT + 2.5)
    assert guest.console.text.endswith("login: beat 1\nbeat 2\nbeat 3\n")


def test_nobody_types_on_it(guest):
    job = guest.run("cat /dev/ttyS0; [ -c /dev/ttyS0 ] && echo a device", user="root")
    assert job.stdout == b"a device\n"


def test_only_root_may_write_to_it(guest):
    assert guest.run("echo x > /dev/console").status != 0


def test_a_new_boot_goes_on_in_the_same_log(new_guest, clock):
    guest = new_guest(user_data=parse_user_data(beating("/dev/console")))
    clock.advance(BOOT + 2.5)
    guest.reboot()
    clock.advance(BOOT + 2.5)
    assert guest.console.text.count(" login: ") == 2
    assert guest.console.text.endswith("login: "), "a script of the user data runs at the first boot only"


def test_what_is_kept_has_an_end():
    log = SerialLog()
    log.write(b"x" * KEPT)
    log.write(b"last\xff")
    assert len(log.text) == KEPT
    assert log.text.endswith("last\ufffd")
    log.clear()
    assert log.text == ""
