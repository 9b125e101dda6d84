"""The judge says of a recorded drain what a count at every write says; the benchmark does so with many seeds."""

import json

import pytest

from benchmarks import drains


@pytest.mark.parametrize("race", [False, True])
def test_judge_and_count_agree(race):
    drain = drains.drained(7, 2, 5, race=race)
    assert drain.right
    assert drain.counted == (race, False)
    assert drain.complete
    assert drain.reached


def test_the_benchmark_tells_wrong_verdicts(tmp_path, monkeypatch, capsys):
    wrong = drains.Drained(1, True, (True, False), (False, False), True, True)
    monkeypatch.setattr(drains, "drained", lambda seed, *limits, race: wrong)
    with pytest.raises(SystemExit, match="4 wrong verdicts"):
        drains.main(tmp_path, seeds=1)
    assert json.loads((tmp_path / "drains.json").read_text())["wrong"] == 4
    assert "2 of 5, race" in capsys.readouterr().out
