"""What the guest's shell does not know, it refuses: 127 for programs, 2 for syntax, and the message names it."""

import pytest

UNSUPPORTED = {
    "[[ a = b ]]": "`[['",
    "function f { :; }": "`function'",
    "select x in a; do :; done": "`select'",
    "((i++))": "(( … ))",
    "x=(1 2)": "an array",
    "x+=a": "the assignment +=",
    "echo $'a'": "$'…' quoting",
    "echo a{1,2}": "brace expansion a{1,2}",
    "echo {1..3}": "brace expansion {1..3}",
    "cat <(echo)": "process substitution <(…)",
    "echo a &> f": "&>",
    "echo a |& cat": "|&",
    "echo ${x:1:2}": "the expansion ${x:1:2}",
    "echo ${x/a/b}": "the expansion ${x/a/b}",
    "echo ${x[1]}": "the expansion ${x[1]}",
    "for ((i=0; i<3; i++)); do :; done": "for ((…))",
    "trap 'echo bye' EXIT": "a trap that runs a command",
    "set -o pipefail": "option -o",
    "date -d yesterday": "option -d yesterday",
    "grep -P x": "option -P",
    "ps --forest": "option --forest",
    "ls -Z": "option -Z",
    "lspci -v": "option -v",
    "dd if=/dev/zero of=x conv=swab count=1": "conv=swab",
    "dd if=/dev/zero of=x": "dd from a device without count=",
    "systemctl mask sshd": "systemctl mask",
    "stat /": "stat without -c",
    "cat /dev/zero": "cat of more than 64 MiB",
}

MALFORMED = {
    "if": "unexpected end of file",
    "done": "near unexpected token `done'",
    "echo )": "near unexpected token `)'",
    "echo a; fi": "near unexpected token `fi'",
    "for 1 in a; do :; done": "near unexpected token `1'",
    'echo "open': "while looking for matching `\"'",
    "echo 'open": "while looking for matching `''",
    "echo $(": "unexpected end of file",
    "echo ${x": "while looking for matching `}'",
    "cat <<EOF\nx": "here-document delimited by end-of-file",
    "echo a; ; echo b": "near unexpected token `;'",
    "while true; do done": "near unexpected token `done'",
    "echo >": "unexpected end of file",
    "| cat": "near unexpected token `|'",
}


@pytest.mark.parametrize("script", UNSUPPORTED)
def test_unsupported_is_refused_by_name(guest, script):
    job = guest.run(script)

    assert job.status == 2
    assert f"{UNSUPPORTED[script]} is not simulated" in job.stderr.decode()


@pytest.mark.parametrize("script", MALFORMED)
def test_malformed_is_a_syntax_error(guest, script):
    job = guest.run(f"echo never\n{script}")

    assert job.status == 2
    assert MALFORMED[script] in job.stderr.decode()
    assert job.text == ""


def test_unknown_program_ends_with_127(guest):
    job = guest.run("frobnicate -x 3")

    assert (job.status, job.text, job.stderr) == (127, "", b"sh: frobnicate: command not found\n")


def test_unknown_program_in_a_script_names_the_script(guest):
    job = guest.run("echo frobnicate > /tmp/s.sh; sh /tmp/s.sh")

    assert (job.status, job.stderr) == (127, b"/tmp/s.sh: frobnicate: command not found\n")


def test_script_without_permission_ends_with_126(guest):
    job = guest.run("echo true > /tmp/s.sh; /tmp/s.sh")

    assert (job.status, job.stderr) == (126, b"sh: /tmp/s.sh: Permission denied\n")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo ${x:?is missing}; echo never", "sh: x: is missing\n"),
        ("set -u; echo $x; echo never", "sh: x: unbound variable\n"),
        ("echo $((1/0)); echo never", "sh: division by 0\n"),
        ("readonly r=1; r=2; echo never", "sh: r: readonly variable\n"),
    ],
)
def test_faults_of_an_expansion_end_the_script(guest, script, message):
    job = guest.run(script)

    assert (job.status, job.text, job.stderr.decode()) == (1, "", message)


@pytest.mark.parametrize(
    "script",
    [
        "x=xxxxxxxx; while :; do x=$x$x; done",
        "f() { f; }; f",
        "x=x; echo $((x))",
        "while :; do cat /etc/os-release /etc/os-release; done > /tmp/f",
        "printf '%99999d' 1",
        "while :; do sleep 1000 & done",
        "echo 'sh /tmp/s.sh' > /tmp/s.sh; sh /tmp/s.sh",
        "seq 1 100000000",
    ],
)
def test_a_script_that_grows_without_bound_is_stopped_or_slowed(guest, clock, script):
    guest.run(script)
    clock.advance(60)

    assert len(guest.processes()) <= guest.config.limits.processes
    assert guest.run("echo alive").text == "alive\n"
