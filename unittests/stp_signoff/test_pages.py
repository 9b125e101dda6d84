"""The pages: in the order an approver asks, self-contained, and saying the same in HTML, Markdown and JSON."""

import html.parser
import json
from pathlib import Path

import pytest

from unittests.stp_signoff.building import (
    TESTS,
    approvals,
    case,
    environment,
    green,
    plan_text,
    result,
    write_run,
)
from utilities.stp.signoff.as_html import as_html
from utilities.stp.signoff.as_json import as_json
from utilities.stp.signoff.as_markdown import as_markdown
from utilities.stp.signoff.gate import judge
from utilities.stp.signoff.linking import Linker
from utilities.stp.signoff.pictures import by_priority, matrix
from utilities.stp.signoff.report import report
from utilities.stp.traceability import Claim

ORDER = [
    "Verdict",
    "What was tested",
    "On what",
    "Results by priority",
    "Acceptance criteria and goals",
    "Open defects, quarantined and excluded",
    "Deviations from the plan",
    "Accepted constraints",
    "Evidence",
    "Approvals",
]
HOSTILE = "<script>alert('x')</script> | **bold** [a](javascript:b) & \"quoted\" `c`"
VOID = {"meta", "br", "wbr"}


class Page(html.parser.HTMLParser):
    """Tags in balance, texts, addresses and what would be loaded from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.hrefs, self.loaded, self.texts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.hrefs += [given["href"]] if "href" in given else []
        self.loaded += [value for name, value in attributes if name in ("src", "srcset", "action")]
        assert not any(name.startswith("on") for name in given)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """SVG elements without content."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in ("td", "th", "div", "li", "p"):
            self.texts.append(" ")

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


@pytest.fixture
def rich(tmp_path):
    """A dossier in which something of everything happened, and its verdict; the page lies in `out`."""
    text = plan_text(excluded="P2")
    gap, quarantined = "utilities.errors.NotEnoughEvidence: gap", "XFAIL [NOTRUN] quarantined: why, CNV-00071"
    issue = {"type": "issue", "name": "CNV-00071", "url": "https://tracker.example.com/CNV-00071"}
    timeline = {"name": "timeline", "source": "a b.svg"}
    results = [
        result(TESTS["GROW-01"], "GROW-01", status="failed", message=f"AssertionError: {HOSTILE}\nmore"),
        result(TESTS["GROW-01"], "GROW-01", at=5),
        result(f"{TESTS['GROW-02']}[ipv4]", "GROW-02", attachments=[timeline]),
        result(f"{TESTS['GROW-02']}[ipv6]", "GROW-02", status="broken", message=gap),
        result(TESTS["GROW-03"], "GROW-03", status="skipped", message=quarantined, severity="critical", links=[issue]),
    ]
    first = write_run(tmp_path / "1", results, facts=environment(text, Job="https://ci.example.com/7", Node_OS=HOSTILE))
    (first / "allure/a b.svg").write_text("<svg/>")
    second = write_run(
        tmp_path / "2",
        [result(TESTS["GROW-02"], "GROW-02")],
        facts=environment(text, KubeVirt="v1.9.1", Left_behind="vm/x"),
    )
    agreed = approvals(
        "approvals:\n"
        "  - {role: QE Lead, name: Lead One, handle: '@lead', decision: approved, date: 2031-03-04, report: "
        + "ab"
        * 32
        + "}\n"
        "agreements: [{scenario: GROW-03, issue: CNV-00071, name: PM One, date: 2031-03-04}]\n"
        "defects: [{key: CNV-00090, severity: Major, scenarios: [GROW-01], workaround: none, decision: fix first}]\n"
        "manual: [{scenario: GROW-05, name: Tester One, date: 2031-03-03, result: passed}]\n"
    )
    claims = [Claim("tests/a/test_b.py::test_c", ("GROW-04",), implemented=False)]
    made = case([first, second], text=text, agreed=agreed, claims=claims)
    return made, judge(made), tmp_path / "out"


@pytest.fixture
def page(rich):
    """The report of `rich`."""
    made, verdict, out = rich
    return report(made, verdict, Linker(out))


def test_sections_come_in_the_order_an_approver_asks(page):
    assert [section.title for section in page.sections] == ORDER


def test_the_page_is_whole_and_loads_nothing(page):
    text = as_html(page)
    found = Page(text)
    assert not found.open
    assert not found.loaded
    assert "@import" not in text
    assert "url(" not in text
    assert "<script" not in text


def test_what_results_say_is_text_and_nothing_else(page):
    found = Page(as_html(page))
    assert HOSTILE.replace("AssertionError: ", "") in found.text
    assert not any(address.startswith("javascript") for address in found.hrefs)


def test_markdown_keeps_its_tables_whatever_results_say(page):
    text = as_markdown(page)
    assert "<script>" not in text.replace(r"\<script\>", "")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) > 20
    widths = {line.replace(r"\|", "").count("|") for line in rows}
    assert widths <= {3, 4, 5, 6, 7, 8, 9}
    assert all(f"## {number}. {title}" in text for number, title in enumerate(ORDER, 1))


def test_the_first_screen_holds_verdict_and_reasons(page):
    told = Page(as_html(page)).text
    assert (
        told.index("Not ready for Tech Preview (TP)") < told.index("P0 failed: GROW-01") < told.index("What was tested")
    )
    assert "P0 inconclusive: GROW-02" in told


def test_reruns_and_sets_are_shown(page):
    told = Page(as_html(page)).text
    assert "test_guest_sees_it ran 2 times: failed, passed" in told
    assert "[ipv6] inconclusive" in told
    assert "tests/a/test_b.py::test_c: described, not implemented" in told


def test_evidence_is_linked_relative_to_the_page(page):
    found = Page(as_html(page))
    assert "../1/allure/a%20b.svg" in found.hrefs
    assert "https://ci.example.com/7" in found.hrefs


def test_deviations(page):
    told = Page(as_html(page)).text
    for each in (
        "Entry criterion not marked in the plan: The test environment",
        "left something behind: vm/x",
        "The runs differ in KubeVirt: v1.9.0, v1.9.1",
        "GROW-01 ran 2 times, the worst counts",
        "GROW-05 was run by hand (Tester One, 2031-03-03): passed; it does not count",
        "no verdicts.json",
    ):
        assert each in told


def test_an_approval_for_another_report_is_shown_as_such(page):
    told = Page(as_html(page)).text
    assert "Lead One @lead approved another report" in told
    assert "0 of 3 approvals are given for this report" in told
    assert "Approver Two @approver-two unsigned" in told


def test_an_approval_for_this_report_counts_and_does_not_change_it(tmp_path):
    run = write_run(tmp_path, green())
    before = case([run])
    entry = f"{{role: QE Lead, name: Lead One, decision: approved, date: 2031-03-04, report: {before.checksum}}}"
    after = case([run], agreed=approvals(f"approvals: [{entry}]"))
    assert after.checksum == before.checksum
    told = Page(as_html(report(after, judge(after), Linker(tmp_path)))).text
    assert "1 of 3 approvals are given for this report" in told


@pytest.mark.parametrize(
    "agreed", ["agreements: [{scenario: GROW-03}]", "automation: {merged: 'https://x.example.com'}"]
)
def test_whatever_else_changes_makes_another_report(tmp_path, agreed):
    run = write_run(tmp_path, green())
    assert case([run]).checksum != case([run], agreed=approvals(agreed)).checksum
    assert case([run]).checksum != case([run], text=plan_text() + "\n").checksum


def test_json_says_the_same(rich):
    made, verdict, _ = rich
    told = json.loads(as_json(made, verdict))
    assert told["verdict"]["readiness"] == "not ready"
    assert [reason["what"] for reason in told["verdict"]["reasons"]] == [reason.what for reason in verdict.reasons]
    outcomes = {each["id"]: each["outcome"] for each in told["scenarios"]}
    assert outcomes == {
        "GROW-01": "failed",
        "GROW-02": "inconclusive",
        "GROW-03": "quarantined",
        "GROW-04": "designed",
        "GROW-05": "excluded",
    }
    assert told["checksum"] == f"sha256:{made.checksum}"
    assert told["scenarios"][0]["tests"][TESTS["GROW-01"]] == ["failed", "passed"]


def test_pictures_show_every_scenario_and_outcome(rich):
    made, _, _ = rich
    bars, rows = by_priority(made.standings), matrix(made.standings, made.proofs)
    for picture in (bars, rows):
        assert not Page(picture).open
    for each in ("P0 failed: 1", "P0 inconclusive: 1", "P1 quarantined: 1", "P2 designed: 1", "P2 excluded: 1"):
        assert f"<title>{each}</title>" in bars
    for each in (">C1<", ">C2<", ">P0 GROW-01<", ">P1 GROW-03<", ">P2 GROW-05<", "<title>C1 by GROW-01</title>"):
        assert each in rows


def test_a_plan_without_anything_still_gives_a_page(tmp_path):
    made = case([tmp_path], text="# Nothing\n")
    verdict = judge(made)
    found = Page(as_html(report(made, verdict, Linker(tmp_path))))
    assert not found.open
    assert "The plan has no scenario" in found.text
    assert as_markdown(report(made, verdict, Linker(Path())))
    assert json.loads(as_json(made, verdict))["scenarios"] == []
