"""`stp signoff` on the command line: exit status, files, and one clear message for wrong input."""

import json

import pytest

from unittests.stp_signoff.building import PLAN, TESTS, environment, green, plan_text, result, write_run
from utilities.stp.__main__ import main


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with the plan and the results of a green run, the current one."""
    (tmp_path / PLAN).parent.mkdir(parents=True)
    (tmp_path / PLAN).write_text(plan_text(), encoding="utf-8")
    write_run(tmp_path / "run", green(), ledger=green())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def signoff(*arguments, results="run", phase="TP"):
    return main(
        ["signoff", "--results", results, "--plan", str(PLAN), *(("--phase", phase) if phase else ()), *arguments]
    )


def test_ready(home, capsys):
    assert signoff() == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["Memory hotplug for running VMs: 4 of 4 scenarios passed", "Ready for Tech Preview (TP)"]
    assert told[-1].startswith("checksum for approvals: sha256:")
    for suffix in ("html", "md", "json"):
        assert f"run/signoff/sign-off.{suffix}" in told
        assert (home / f"run/signoff/sign-off.{suffix}").stat().st_size


def test_again_gives_the_same_pages(home):
    signoff()
    first = {path.name: path.read_bytes() for path in (home / "run/signoff").iterdir()}
    signoff()
    assert {path.name: path.read_bytes() for path in (home / "run/signoff").iterdir()} == first


def test_ready_with_exceptions(home):
    write_run(home / "other", green()[:2] + green()[3:])
    (home / "a.yaml").write_text("agreements: [{scenario: GROW-03, issue: CNV-1, name: PM One, date: 2031-03-04}]")
    assert signoff("--approvals", "a.yaml", "--output", "out", results="other") == 0
    assert json.loads((home / "out/sign-off.json").read_text())["verdict"]["readiness"] == "ready with exceptions"


def test_not_ready(home, capsys):
    write_run(home / "other", [result(TESTS["GROW-01"], "GROW-01", status="failed"), *green()[1:]])
    assert signoff(results="other") == 1
    told = capsys.readouterr().out
    assert "- P0 failed: GROW-01" in told
    assert all(len(line) <= 100 for line in told.splitlines() if line.startswith(("-", "  ")))


def test_several_folders(home):
    write_run(home / "1", green()[:2])
    write_run(home / "2", green()[2:])
    assert signoff("--results", "2", results="1") == 0
    assert main(["signoff", "--results", "1", "2", "--plan", str(PLAN), "--phase", "TP"]) == 0


def test_lab(home):
    write_run(home / "lab", green(), facts=environment(Target="embedded lab", Target_kind="lab"))
    assert signoff(results="lab") == 1
    assert signoff("--allow-lab", results="lab") == 0
    assert json.loads((home / "lab/signoff/sign-off.json").read_text())["verdict"]["lab_only"]


def test_tests_beside_the_plan_are_read(home, capsys):
    (home / "tests").mkdir()
    (home / "tests/test_more.py").write_text(
        'import pytest\n\n\n@pytest.mark.scenario("GROW-02")\ndef test_more():\n    """Test it."""\n    assert True\n'
    )
    assert signoff() == 1
    assert "P0 not run: GROW-02" in capsys.readouterr().out
    assert signoff("--tests") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"results": "none"}, "none: no such folder"),
        ({"results": str(PLAN)}, "no such folder"),
        ({"phase": None}, "gives a version to TP, GA"),
        ({"extra": ("--approvals", "none.yaml")}, "none.yaml: cannot read"),
        ({"extra": ("--tests", "none")}, "none:1: cannot read"),
        ({"extra": ("--output", str(PLAN))}, "cannot write"),
        ({"extra": ("--plan", "none.md")}, "none.md:1: cannot read"),
    ],
)
def test_wrong_input(home, capsys, arguments, message):
    extra = arguments.pop("extra", ())
    assert signoff(*extra, **arguments) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Next: " in told


def test_a_folder_of_plans_is_no_plan(home, capsys):
    assert signoff("--plan", "stps") == 2
    assert "stps:1: cannot read" in capsys.readouterr().err


def test_half_a_character_is_shown_as_an_escape(home):
    (home / "a.yaml").write_text('approvals: [{role: "\\ud800", name: Lead One}]')
    assert signoff("--approvals", "a.yaml") == 0
    assert r"\ud800" in (home / "run/signoff/sign-off.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("missing", ["--plan", "--results"])
def test_both_inputs_are_required(home, missing):
    arguments = {"--plan": str(PLAN), "--results": "run"}
    del arguments[missing]
    with pytest.raises(SystemExit) as caught:
        main(["signoff", *(part for pair in arguments.items() for part in pair)])
    assert caught.value.code == 2
