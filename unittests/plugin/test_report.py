"""The HTML page and the summary table."""

from utilities.plugin.report import page
from utilities.plugin.summary import WIDTH, rows
from utilities.plugin.verdicts import Evidence, TestResult, Verdict, by_scenario

from .test_verdicts import Exclusion, Scenario, result


def test_the_page_shows_scenarios_reasons_and_pictures(tmp_path):
    (tmp_path / "p.svg").write_text("<svg><title>drawn</title></svg>")
    (tmp_path / "o.yaml").write_text("a: <b>")
    evidence = (Evidence("timeline", "p.svg", "image/svg+xml"), Evidence("objects", "o.yaml", "application/yaml"))
    failed = TestResult("tests/a.py::t", ("A-1",), Verdict.FAILED, "expected <1>", 2.0, evidence, (("gap", "0.8 s"),))
    html = page("Plans", {"Target": "lab <1>"}, by_scenario([Scenario("A-1"), Scenario("A-2")], [failed]), tmp_path)
    assert "<svg><title>drawn</title></svg>" in html
    for text in ("expected &lt;1&gt;", "a: &lt;b&gt;", "lab &lt;1&gt;", "gap", "0.8 s", "not run", 'id="A-2"'):
        assert text in html
    assert "http" not in html.replace("http-equiv", "")  # self-contained: nothing is fetched


def test_rows_fit_a_terminal_of_100_columns():
    joined = by_scenario([Scenario("A-1", text="x" * 300)], [result(Verdict.PASSED)])
    lines = rows(joined)
    assert all(len(line) <= WIDTH for line, _ in lines)
    assert lines[1][0].startswith("A-1        2     P0    passed")
    assert lines[-1][0] == "1 scenarios: 1 passed"


def test_known_issues_are_told_beside_the_verdict(tmp_path):
    known = (("known issue", "guarantee 7"),)
    tests = [
        TestResult("tests/a.py::red", ("A-1",), Verdict.FAILED, "three at once", figures=known),
        TestResult("tests/a.py::mended", ("A-2",), Verdict.PASSED, figures=known),
        TestResult("tests/a.py::new", ("A-3",), Verdict.FAILED, "who knows"),
    ]
    joined = by_scenario([Scenario("A-1"), Scenario("A-2"), Scenario("A-3")], tests)
    lines = [line for line, _ in rows(joined)]
    assert lines[2].strip() == "known issue: guarantee 7"
    assert lines[-3:] == [
        "3 scenarios: 1 passed, 2 failed",
        "1 failed by a known issue: A-1",
        "1 known issue not seen: A-2",
    ]
    html = page("Plans", {}, joined, tmp_path)
    assert html.count("known issue: guarantee 7</span>") == 1
    assert html.count("known issue not seen: guarantee 7</span>") == 1


def test_no_results_make_no_table():
    assert rows(()) == []


def test_scenarios_of_several_plans_stand_below_their_titles(tmp_path):
    joined = by_scenario([Scenario("A-1")], [], "Plan A") + by_scenario([Scenario("B-1")], [], "Plan <B>")
    assert [line for line, _ in rows(joined)][1::2] == ["Plan A", "Plan <B>", "2 scenarios: 2 not run"]
    html = page("Plans", {}, joined, tmp_path)
    assert html.index("Plan A") < html.index("A-1") < html.index("<h2>Plan &lt;B&gt;</h2>") < html.index("B-1")


def test_scenarios_that_nobody_selected_are_counted_and_not_listed():
    joined = by_scenario([Scenario("A-1"), Scenario("A-2"), Scenario("A-3", Exclusion("-"))], [], "Plan A")
    joined += by_scenario([Scenario("B-1"), Scenario("B-2"), Scenario("B-3")], [result(Verdict.PASSED, ("B-2",))], "B")
    lines = [line for line, _ in rows(joined, chosen={"A-1", "B-2"})]
    assert [line.split()[0] for line in lines[:-1]] == ["scenario", "Plan", "A-1", "2", "B", "B-2", "2"]
    assert lines[3] == "2 scenarios of this plan not selected"
    assert lines[-1] == "2 of 6 scenarios: 1 passed, 1 not run"


def test_of_a_whole_plan_the_excluded_scenarios_are_listed():
    joined = by_scenario([Scenario("A-1"), Scenario("A-2", Exclusion("-"))], [result(Verdict.PASSED)])
    lines = [line for line, _ in rows(joined, chosen={"A-1"})]
    assert [line.split()[0] for line in lines] == ["scenario", "A-1", "A-2", "2"]
