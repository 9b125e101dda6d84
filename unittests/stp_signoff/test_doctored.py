"""Doctored results: each gives "not ready" and says what is wrong with them."""

import json

import pytest

from unittests.stp_signoff.building import (
    TESTS,
    environment,
    green,
    plan_text,
    reasons,
    result,
    verdict,
    write_run,
)
from utilities.stp.signoff.gate import Readiness
from utilities.stp.traceability import Claim

SETS = "tests/memory_hotplug/test_raise.py::TestRaise::test_by_size[{}]"


def refused(found, *words):
    """The verdict is not ready and its reasons hold all these words."""
    assert found.readiness is Readiness.NOT_READY
    told = reasons(found)
    for each in words:
        assert each in told, told


def test_untouched_results_are_ready(tmp_path):
    found = verdict(write_run(tmp_path, green(), ledger=green()))
    assert found.readiness is Readiness.READY, reasons(found)
    assert found.line == "Ready for Tech Preview (TP)"


def test_removed_test(tmp_path):
    refused(verdict(write_run(tmp_path, green()[1:])), "P0 not run: GROW-01")


def test_removed_test_of_a_run_that_lists_it(tmp_path):
    extra = result(TESTS["GROW-04"] + "_too", "GROW-01")
    found = verdict(write_run(tmp_path, green(), ledger=[*green(), extra]))
    refused(found, "results are missing that the run lists: tests/memory_hotplug/test_events.py", "P0 not run: GROW-01")


def test_removed_parameter_set(tmp_path):
    sets = [result(SETS.format(size), "GROW-01") for size in ("1Gi", "2Gi")]
    whole = [*green(), *sets]
    assert verdict(write_run(tmp_path / "whole", whole, ledger=whole)).readiness is Readiness.READY
    refused(verdict(write_run(tmp_path / "cut", whole[:-1], ledger=whole)), "P0 not run: GROW-01", "test_by_size[2Gi]")


def test_removed_test_that_only_its_source_still_tells(tmp_path):
    claims = [Claim(test, (scenario,)) for scenario, test in TESTS.items()]
    run = write_run(tmp_path, green())
    assert verdict(run, claims=claims).readiness is Readiness.READY
    refused(verdict(run, claims=[*claims, Claim("tests/x/test_more.py::test_it", ("GROW-02",))]), "P0 not run: GROW-02")


def test_added_results(tmp_path):
    added = result("tests/memory_hotplug/test_raise.py::test_another", "GROW-01")
    found = verdict(write_run(tmp_path, [*green(), added], ledger=green()))
    refused(found, "results are there that the run does not list: tests/memory_hotplug/test_raise.py::test_another")


def test_a_failure_turned_into_a_pass(tmp_path):
    listed = [result(TESTS["GROW-01"], "GROW-01", status="failed"), *green()[1:]]
    refused(
        verdict(write_run(tmp_path, green(), ledger=listed)),
        "passed according to the results, not according to the run",
        "P0 failed: GROW-01",
    )


def test_renamed_scenario_in_the_results(tmp_path):
    renamed = [result(TESTS["GROW-01"], "GROW-10"), *green()[1:]]
    found = verdict(write_run(tmp_path, renamed))
    refused(found, "scenarios that the plan does not have: GROW-10", "P0 not run: GROW-01")


def test_renamed_scenario_in_the_plan(tmp_path):
    text = plan_text().replace("**GROW-02**", "**GROW-22**")
    found = verdict(write_run(tmp_path, green()), text=text)
    refused(found, "another revision", "does not have: GROW-02", "P0 not run: GROW-22")


@pytest.mark.parametrize("order", [("failed", "passed"), ("passed", "failed"), ("broken", "passed", "passed")])
def test_best_of_reruns(tmp_path, order):
    reruns = [result(TESTS["GROW-01"], "GROW-01", status=status, at=at) for at, status in enumerate(order)]
    refused(verdict(write_run(tmp_path, [*green()[1:], *reruns])), "P0 ", "GROW-01")


def test_best_of_several_runs(tmp_path):
    first = write_run(tmp_path / "1", [result(TESTS["GROW-02"], "GROW-02", status="failed"), *green()[2:]])
    second = write_run(tmp_path / "2", green())
    refused(verdict(first, second), "P0 failed: GROW-02")


def test_shards_add_up(tmp_path):
    first, second = write_run(tmp_path / "1", green()[:2]), write_run(tmp_path / "2", green()[2:])
    assert verdict(first, second).readiness is Readiness.READY
    refused(verdict(first), "P1 not run without agreement: GROW-03")


def test_edited_plan(tmp_path):
    text = plan_text().replace("within 60 s", "within 600 s")
    refused(verdict(write_run(tmp_path, green()), text=text), "ran another revision of the plan")


def test_a_run_that_does_not_say_which_plan(tmp_path):
    facts = "".join(line for line in environment().splitlines(keepends=True) if not line.startswith("Plan"))
    refused(verdict(write_run(tmp_path, green(), facts=facts)), "does not say which revision of the plan it ran")


def test_no_results_at_all():
    refused(verdict(), "no results")


def test_empty_folder(tmp_path):
    refused(verdict(tmp_path), "no results, nothing was tested", "P0 not run: GROW-01, GROW-02")


def test_empty_shard(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    refused(verdict(write_run(tmp_path / "whole", green()), empty), f"{empty}: no results")


def test_folder_above_the_results(tmp_path):
    write_run(tmp_path / "20310304-120000", green())
    refused(verdict(tmp_path), "its subfolders do: 20310304-120000/allure")


@pytest.mark.parametrize("kept", [0, 1, 40, -1])
def test_half_written_json(tmp_path, kept):
    write_run(tmp_path, green())
    path = tmp_path / "allure/0000-result.json"
    path.write_bytes(path.read_bytes()[:kept])
    refused(verdict(tmp_path), f"{path}: no whole JSON", "P0 not run: GROW-01")


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "null",
        '"x"',
        '{"name": "a"}',
        '{"name": 1, "fullName": [], "status": {}}',
        "[" * 50_000,
        "\x00",
        '{"labels": 3}',
    ],
)
def test_json_that_is_no_result(tmp_path, content):
    write_run(tmp_path, green())
    path = tmp_path / "allure/9999-result.json"
    path.write_text(content)
    refused(verdict(tmp_path), str(path))


def test_bytes_that_are_no_text(tmp_path):
    write_run(tmp_path, green())
    (tmp_path / "allure/9999-result.json").write_bytes(b"\xff\xfe\x00{")
    (tmp_path / "allure/environment.properties").write_bytes(b"Target=\xff\n")
    refused(verdict(tmp_path), "9999-result.json", "environment.properties: byte 7 is not UTF-8")


def test_result_that_was_never_finished(tmp_path):
    write_run(tmp_path, green())
    (tmp_path / "allure/9-result.json.tmp").write_text('{"name"')
    refused(verdict(tmp_path), "a result that was not finished")


def test_half_written_list_of_the_run(tmp_path):
    write_run(tmp_path, green(), ledger=green())
    path = tmp_path / "verdicts.json"
    path.write_bytes(path.read_bytes()[:-20])
    refused(verdict(tmp_path), f"{path}: no whole JSON")


@pytest.mark.parametrize("status", ["passed", "failed"])
def test_results_of_another_plan_beside_count_for_nothing(tmp_path, status):
    other = result("tests/drain/test_pace.py::test_pace", "HVD-01", feature="Hypervisor drain", status=status)
    assert verdict(write_run(tmp_path, [*green(), other])).readiness is Readiness.READY


def test_a_run_in_parts_needs_every_part(tmp_path):
    half = len(green()) // 2
    parts = [
        write_run(tmp_path / "0", green()[:half], facts=environment(Shard="0/2")),
        write_run(tmp_path / "1", green()[half:], facts=environment(Shard="1/2")),
    ]
    assert verdict(*parts).readiness is Readiness.READY
    refused(verdict(parts[1]), "Parts of the run are missing: 0/2")


def test_results_of_another_plan_alone(tmp_path):
    other = result("tests/drain/test_pace.py::test_pace", "HVD-01", feature="Hypervisor drain")
    refused(verdict(write_run(tmp_path, [other])), "P0 not run: GROW-01")


def test_another_plans_result_under_this_plans_id(tmp_path):
    other = result(TESTS["GROW-01"], "GROW-01", feature="Another plan")
    found = verdict(write_run(tmp_path, [other, *green()[1:]]))
    refused(found, "claim this plan's scenarios (1): Another plan", "P0 not run: GROW-01")


def test_a_test_may_prove_scenarios_of_two_plans(tmp_path):
    both = result(TESTS["GROW-01"], "GROW-01", "HVD-01")
    both["labels"].append({"name": "feature", "value": "Hypervisor drain"})
    assert verdict(write_run(tmp_path, [both, *green()[1:]])).readiness is Readiness.READY


def test_results_copied_out_of_their_run_still_tell_by_themselves(tmp_path):
    run = write_run(tmp_path / "run", green(), ledger=[*green(), result(SETS.format("x"), "GROW-01")])
    refused(verdict(run / "allure"), "results are missing that the run lists")


def test_a_status_that_allure_does_not_have_is_no_pass(tmp_path):
    refused(
        verdict(write_run(tmp_path, [result(TESTS["GROW-01"], "GROW-01", status="fine"), *green()[1:]])), "P0 broken"
    )


def test_evidence_is_not_followed_out_of_its_folder(tmp_path):
    (tmp_path / "secret.txt").write_text("s")
    attachment = {"name": "log", "source": "../../secret.txt", "type": "text/plain"}
    run = write_run(tmp_path / "run", [result(TESTS["GROW-01"], "GROW-01", attachments=[attachment])])
    content = json.loads((run / "allure/0000-result.json").read_text())
    assert content["attachments"]
    from utilities.stp.signoff.reading import read_run

    (piece,) = read_run(run).attempts[0].evidence
    assert piece.path is None
