"""Whatever results and approvals hold, the command ends with a verdict or one clear message."""

import json
import random

import pytest

from unittests.stp_signoff.building import PLAN, green, plan_text, write_run
from utilities.stp.__main__ import main

STRANGE = [
    None,
    True,
    -1,
    0,
    1e300,
    10**30,
    "",
    "\x00",
    "\ud7ff",
    "x" * 5000,
    "../..",
    [],
    [[]],
    [None],
    {},
    {"name": 1},
]
APPROVALS = {
    "approvals": [{"role": "QE Lead", "name": "Lead One", "date": "2031-03-04", "decision": "approved"}],
    "agreements": [{"scenario": "GROW-03", "issue": "CNV-1", "name": "PM One", "date": "2031-03-04"}],
}
SEEDS = range(50)


def places(value, found):
    """Every (container, key) below a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.append((value, key))
        places(item, found)
    return found


def with_something_strange(content, chance):
    """The content, some of its values replaced."""
    everything = places(content, [])
    for _ in range(chance.randint(1, 3)):
        container, key = chance.choice(everything)
        container[key] = chance.choice(STRANGE)
    return content


def cut_or_garbled(raw, chance):
    """Some bytes lost or changed."""
    place = chance.randrange(len(raw))
    if chance.random() < 0.4:
        return raw[:place]
    if chance.random() < 0.5:
        return raw[:place] + raw[place + chance.randint(1, 40) :]
    return raw[:place] + bytes(chance.randrange(256) for _ in range(4)) + raw[place + 4 :]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_input_breaks_the_command(tmp_path, monkeypatch, capsys, seed):
    chance = random.Random(seed)
    (tmp_path / PLAN).parent.mkdir(parents=True)
    (tmp_path / PLAN).write_text(plan_text(), encoding="utf-8")
    run = write_run(tmp_path / "run", green(), ledger=green())
    (tmp_path / "approvals.yaml").write_text(json.dumps(APPROVALS))
    files = [*sorted((run / "allure").iterdir()), run / "verdicts.json", tmp_path / "approvals.yaml"]
    for path in chance.sample(files, 2):
        if path.suffix == ".properties" or chance.random() < 0.4:
            path.write_bytes(cut_or_garbled(path.read_bytes(), chance))
        else:
            path.write_text(json.dumps(with_something_strange(json.loads(path.read_text()), chance)))
    monkeypatch.chdir(tmp_path)
    status = main(
        ["signoff", "--results", "run", "--plan", str(PLAN), "--phase", "TP", "--approvals", "approvals.yaml"]
    )
    assert status in (0, 1, 2)
    told = capsys.readouterr()
    assert ("Next: " in told.err) is (status == 2)
