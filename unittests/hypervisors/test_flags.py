"""The operator's concurrency flags: as arguments say them, and what they mean for a hypervisor."""

import pytest

from utilities.hypervisors.flags import Flags, replaced

OTHERS = ("--leader-elect", "--metrics-bind-address=:8443")


@pytest.mark.parametrize(
    ("arguments", "concurrency", "by_trait"),
    [
        (OTHERS, 1, {}),
        (("--eviction-concurrency=3",), 3, {}),
        (("-eviction-concurrency", "0x10", "--leader-elect"), 16, {}),
        (("--eviction-concurrency=3", "--eviction-concurrency=4"), 4, {}),
        (("--eviction-trait-concurrency= CUSTOM_A = 2 ,,CUSTOM_B=1,CUSTOM_A=5",), 1, {"CUSTOM_A": 5, "CUSTOM_B": 1}),
        (("--eviction-trait-concurrency", "CUSTOM_A=2", "--eviction-concurrency=7"), 7, {"CUSTOM_A": 2}),
    ],
)
def test_flags_are_read_as_the_program_does(arguments, concurrency, by_trait):
    assert Flags.of(arguments) == Flags(concurrency, by_trait)


def test_flags_are_written_so_that_they_are_read_back():
    for flags in (Flags(), Flags(3), Flags(1, {"CUSTOM_A": 2}), Flags(9, {"CUSTOM_B": 1, "CUSTOM_A": 2})):
        assert Flags.of(flags.arguments) == flags
    assert str(Flags()) == "no concurrency flags"
    assert str(Flags(2, {"CUSTOM_A": 1})) == "--eviction-concurrency=2 --eviction-trait-concurrency=CUSTOM_A=1"


def test_other_arguments_stay_when_flags_are_replaced():
    present = ["--eviction-concurrency", "3", *OTHERS, "-eviction-trait-concurrency=CUSTOM_A=1", "--zap-log-level=5"]
    assert replaced(present, Flags(2).arguments) == [*OTHERS, "--zap-log-level=5", "--eviction-concurrency=2"]
    assert replaced(OTHERS, ()) == list(OTHERS)


@pytest.mark.parametrize(
    ("flags", "traits", "limit"),
    [
        (Flags(2, {"CUSTOM_BIG": 8}), ("CUSTOM_BIG",), 2),
        (Flags(10, {"A": 4, "B": 2, "C": 7}), ("A", "B", "C"), 2),
        (Flags(5, {"CUSTOM_EXCLUSIVE": 1}), ("COMPUTE_NODE", "CUSTOM_EXCLUSIVE"), 1),
        (Flags(5, {"CUSTOM_EXCLUSIVE": 1}), ("COMPUTE_NODE",), 5),
        (Flags(), (), 1),
    ],
)
def test_the_lowest_limit_counts(flags, traits, limit):
    assert flags.limit(traits) == limit
