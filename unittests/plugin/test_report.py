"""The HTML page and the summary table."""

from utilities.plugin.report import page
from utilities.plugin.summary import WIDTH, rows
from utilities.plugin.verdicts import Evidence, TestResult, Verdict, by_scenario

from .test_verdicts import Scenario, result


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


def test_no_results_make_no_table():
    assert rows(()) == []
