"""Whatever is typed into a guest, the lab survives: a script ends, waits or is slowed, and never raises."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lab.clock import ManualClock
from lab.guests import GuestConfig, GuestMachine, Limits

TOKENS = (
    "echo", "a", "$x", "${x}", "${x:-", "${x#", "${x%%", "}", "$(", ")", "$((", "))", "`", "'", '"', "\\", ";", "&",
    "&&", "|", "||", "\n", "if", "then", "else", "fi", "while", "do", "done", "for", "in", "case", "esac", ";;", "(",
    "{", "[", "]", "!", "=", "-eq", "-f", ">", ">>", "<", "2>&1", "<<EOF", "\nEOF\n", "*", "?", "[a-z]", "~", "x=1",
    "y=", "f()", "local", "return", "break", "exit", "set", "--", "-e", "-u", "shift", "read", "wait", "$!", "$?", "$#",
    "$@", '"$@"', "$*", "1", "+", "-", "/", "%", "**", "cat", "printf", "%s", "%999d", "%d\\n", "\\xff", "grep", "-E",
    "wc", "-l", "head", "-n", "tail", "tr", "cut", "-d:", "-f1", "sleep", "0.1", "kill", "$$", "-9", "date", "+%s.%N",
    "ps", "-o", "pid=", "pgrep", "dd", "if=/dev/zero", "of=/tmp/x", "bs=1k", "count=2", "seek=9", "sh", "-c", "eval",
    ".", "trap", "cd", "/", "/tmp", "rm", "-rf", "mkdir", "-p", "touch", "mv", "ls", "sudo", "nohup", "setsid", "env",
    "unset", "export", "readonly", "command", "-v", "seq", "sort", "uniq", "tee", "mktemp", "stat", "exec", "3>", ">&3",
    "systemctl", "status", "sshd", "nvidia-smi", "lspci", "-nnk", "uname", "id", "who", "-b", "sha256sum", "-s",
    "/proc/self/stat", "99999999999999999999999", "²", "a{9999999999}", "#",
)  # fmt: skip
SCRIPTS = st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from((" ", " ", "", "\n"))), min_size=1, max_size=16)


@given(SCRIPTS)
@settings(max_examples=250)
def test_no_script_raises(pieces):
    clock = ManualClock()
    guest = GuestMachine(GuestConfig("vm-1", 1 << 30, limits=Limits(burst_steps=200, processes=60)), clock)
    clock.advance(30)
    job = guest.run("".join(token + gap for token, gap in pieces), stdin=b"one a\ntwo\n")
    clock.advance(3)

    assert job.status is None or 0 <= job.status <= 255


def test_full_process_table_still_lets_somebody_in(new_guest, clock):
    guest = new_guest(limits=Limits(processes=40))
    clock.advance(30)
    bomb = guest.run("while :; do sleep 1000 & done")
    clock.advance(5)

    assert b"fork: Resource temporarily unavailable" in bomb.stderr
    assert guest.run("echo in; sleep 1").stderr == b"sh: fork: Resource temporarily unavailable\n"
    assert guest.run("setsid -f sleep 1").stderr == b"setsid: Resource temporarily unavailable\n"
    assert guest.run("kill $(pgrep sleep)").status == 254  # needs a child itself
    assert guest.run("pkill sleep").status == 0
    assert guest.run("echo in; sleep 1").stderr == b""
