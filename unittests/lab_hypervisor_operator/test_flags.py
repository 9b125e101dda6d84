"""The command line (operator sheet §2.6, §4)."""

import pytest

from lab.controllers.decisions import Faults
from lab.hypervisor_operator.fixes import ALL
from lab.hypervisor_operator.flags import StartError, read
from lab.hypervisor_operator.tables import Tables

NEEDED = "--agent-namespaces=lab"


def flags(*arguments, parallel=True):
    return read([NEEDED, *arguments], Tables(), parallel=parallel)


def refusal(*arguments, parallel=True):
    with pytest.raises(StartError) as caught:
        read(arguments, Tables(), parallel=parallel)
    return caught.value.code, str(caught.value)


def test_what_is_refused_is_told_only_by_the_fixed_program():
    """The log is set up after flags were looked at: seen of a build of pull request 353, status 1 and no word."""
    for fixes, words in ((Faults(), ""), (ALL, refusal(NEEDED, "--eviction-concurrency=0")[1])):
        with pytest.raises(StartError) as caught:
            read([NEEDED, "--eviction-concurrency=0"], Tables(fixes=fixes), parallel=True)
        assert (caught.value.code, caught.value.words) == (1, words)


def test_defaults():
    read_flags = flags()
    assert (read_flags.concurrency, read_flags.by_trait, read_flags.leader_elect) == (1, {}, False)


@pytest.mark.parametrize("form", [["--eviction-concurrency=4"], ["-eviction-concurrency", "4"]])
def test_both_forms(form):
    assert flags(*form).concurrency == 4


def test_limits_by_trait():
    text = " CUSTOM_A = 4 ,,CUSTOM_B=2, CUSTOM_A=1"
    assert flags("--eviction-trait-concurrency", text).by_trait == {"CUSTOM_A": 1, "CUSTOM_B": 2}


def test_switches():
    assert flags("--leader-elect").leader_elect
    assert not flags("--leader-elect=false").leader_elect


def test_agent_namespaces_are_needed():
    assert refusal() == (1, 'ERROR\tsetup\tinvalid configuration\t{"error": "--agent-namespaces is required"}')
    assert refusal("--agent-namespaces= , ")[0] == 1


@pytest.mark.parametrize("number", ["0", "-3"])
def test_a_limit_below_one_is_refused(number):
    code, words = refusal(NEEDED, f"--eviction-concurrency={number}")
    assert (code, words.endswith('{"error": "--eviction-concurrency must be >= 1"}')) == (1, True)


@pytest.mark.parametrize("entry", ["CUSTOM_A", "=3", "CUSTOM_A=0", "CUSTOM_A=x", "CUSTOM_A=", "CUSTOM_A=1=2"])
def test_a_bad_entry_is_refused(entry):
    code, words = refusal(NEEDED, f"--eviction-trait-concurrency=CUSTOM_B=2, {entry}")
    assert code == 1
    assert f"invalid --eviction-trait-concurrency entry: {entry}" in words


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("--eviction-concurrency=many", 'invalid value "many" for flag -eviction-concurrency: parse error'),
        ("--no-such-flag", "flag provided but not defined: -no-such-flag"),
        ("--leader-elect=perhaps", 'invalid boolean value "perhaps" for -leader-elect: parse error'),
        ("--label-selector", "flag needs an argument: -label-selector"),
    ],
)
def test_what_go_itself_refuses(argument, words):
    assert refusal(NEEDED, argument) == (2, f"{words}\nUsage of /manager:")


def test_a_bad_label_selector():
    assert "unable to parse label selector" in refusal(NEEDED, "--label-selector=a in")[1]
    assert flags("--label-selector=a=b").selector.labels[0].key == "a"


def test_the_main_branch_does_not_know_the_limits():
    assert refusal(NEEDED, "--eviction-concurrency=2", parallel=False)[0] == 2


def test_certificate_flags_may_not_be_empty():
    assert "certificate-namespace cannot be empty" in refusal(NEEDED, "--certificate-namespace=")[1]
