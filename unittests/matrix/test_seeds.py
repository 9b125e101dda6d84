"""A seed is clean when everything passed and nothing was left behind; the table says what was not."""

import pytest

from benchmarks.matrix import main as matrix
from benchmarks.planrun import PlanRunError, read, run_plans
from benchmarks.seeds import SeededRun, main, summary


def ran(verdict="passed", left=()):
    """A run of one scenario."""
    test = {"test": "tests/p/test_x.py::test_one", "scenarios": ["A-1"], "verdict": verdict, "reason": "why it did"}
    written = {"scenarios": {"A-1": verdict, "A-2": "excluded"}, "tests": [test]}
    return read(written if left is None else {**written, "left": list(left)}, seconds=31.5)


@pytest.mark.parametrize(
    ("run", "clean", "line"),
    [
        (ran(), True, "    7    31.5             0  all passed"),
        (ran(left=None), True, "    7    31.5  not reported  all passed"),
        (ran(left=["Pod a/b"]), False, "    7    31.5             1  all passed\n       left behind: Pod a/b"),
        (
            ran("inconclusive"),
            False,
            "    7    31.5             0  A-1\n       A-1: inconclusive; test_x.py::test_one: why it did",
        ),
    ],
)
def test_a_row_of_the_table(run, clean, line):
    seeded = SeededRun(7, run)
    assert seeded.clean is clean
    assert seeded.line() == line


def test_a_run_without_verdicts_is_not_clean():
    runs = [SeededRun(1, ran()), SeededRun(2, None, "it hung")]
    assert runs[1].line() == "    2  no verdicts: it hung"
    assert runs[1].to_json() == {"seed": 2, "error": "it hung"}
    assert summary(runs) == "1 of 2 seeds clean, median 32 s, longest 32 s"


def test_a_run_that_cannot_start_says_why(tmp_path):
    with pytest.raises(PlanRunError, match="unknown lab fault 'nonsense'"):
        run_plans(tmp_path, "--lab-fault", "nonsense")


def test_a_run_that_hangs_is_ended(tmp_path):
    with pytest.raises(PlanRunError, match=r"not over after 0\.1 s"):
        run_plans(tmp_path, within=0.1)


def test_wrong_input_ends_with_2(capsys):
    assert matrix(["nonsense"]) == 2
    assert "unknown lab fault 'nonsense'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["--count", "0"])
    assert ended.value.code == 2
