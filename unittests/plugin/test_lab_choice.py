"""What lab the command line of the suite asks for."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from lab.__main__ import main
from utilities.errors import SiteError
from utilities.plugin import facts
from utilities.plugin.labprocess import LabChoice
from utilities.plugin.options import add_options, read_numbers
from utilities.plugin.sites import lab_choice


def chosen(*words):
    """The choice of a run that is started in /somewhere."""
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    options = parser.parse_known_args(list(words))
    read_numbers(options)
    return lab_choice(SimpleNamespace(option=options, invocation_params=SimpleNamespace(dir=Path("/somewhere"))))


def test_the_default_is_the_full_lab_as_its_profile_says():
    assert chosen() == LabChoice("full")


@pytest.mark.parametrize(
    ("option", "value", "what"),
    [
        ("--lab-seed", "abc", "a whole number"),
        ("--lab-seed", "1.5", "a whole number"),
        ("--lab-time-scale", "fast", "a positive number"),
        ("--lab-time-scale", "nan", "a positive number"),
        ("--lab-time-scale", "inf", "a positive number"),
        ("--lab-time-scale", "0", "a positive number"),
    ],
)
def test_numbers_that_are_none(option, value, what):
    with pytest.raises(SiteError, match=f"^{option} {value}: not {what}"):
        chosen(option, value)


def test_numbers_are_numbers():
    assert chosen("--lab-seed", "7", "--lab-time-scale", "0.5") == LabChoice("full", seed=7, time_scale=0.5)


def test_every_choice_is_handed_to_the_lab():
    choice = LabChoice("vgpu", ("a", "b"), 7, 2.0, "main", ("hypervisor-operator=/m",))
    assert choice.arguments() == [
        *("--profile", "vgpu", "--seed", "7", "--time-scale", "2.0", "--fault", "a", "--fault", "b"),
        *("--operator", "main", "--external", "hypervisor-operator=/m"),
    ]


def test_the_lab_knows_what_it_is_handed():
    assert main(["check", *LabChoice("full", operator="main").arguments()]) == 0


def test_programs_are_looked_for_where_the_run_was_started():
    choice = chosen("--lab-external", "hypervisor-operator=bin/manager", "--lab-external", "hypervisor-operator")
    assert choice.externals == ("hypervisor-operator=/somewhere/bin/manager", "hypervisor-operator")


def test_reports_tell_what_is_not_as_the_profile_says():
    usual = {"lab_fault": [], "lab_profile": "full", "lab_seed": 1, "lab_operator": None, "lab_external": []}
    assert not {"Lab operator", "Lab external"} & facts.of_lab(usual).keys()
    told = facts.of_lab(usual | {"lab_operator": "main", "lab_external": ["hypervisor-operator=m"]})
    assert (told["Lab operator"], told["Lab external"]) == ("main", "hypervisor-operator=m")
