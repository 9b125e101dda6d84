"""The matrix: what stands for a verdict, and its three forms."""

import json
from html.parser import HTMLParser

import pytest

from unittests.stp.reading import plan
from utilities.stp.errors import StpError
from utilities.stp.traceability import Claim
from utilities.stp.traceability.matrix import FORMS, Results, matrix, read_results

PLAN = plan(
    """
    # x
    ## **Disk growth - Quality Engineering Plan**
    ### **III. Test Scenarios & Traceability**
    - **[CNV-00001]** — As a user, I want disks to grow so that &lt;b>I|we&lt;/b> keep working.
      - *Test Scenario:* [Tier 2] **GROW-01** — Verify that a disk grows
      - *Priority:* P0

      - *Test Scenario:* [Tier 2] [NEGATIVE] **GROW-02** — Verify that growth beyond the free space is refused
      - *Priority:* P1
    - **[CNV-00002]** — As a user, I want Windows so that I am happy.
      - *Test Scenario:* [Tier 3] **GROW-03** — Verify that it grows on Windows
      - *Priority:* P2
      - *Not automated here:* no Windows image — CNV-00073, [Name / date]

      - *Test Scenario:* **GROW-04** — Verify something nobody tests
    """
)
A, B = "tests/g/test_a.py::test_grow", "tests/g/test_a.py::TestNo::test_no"
CLAIMS = [Claim(A, ("GROW-01",)), Claim(f"{A}[big]", ("GROW-01",)), Claim(B, ("GROW-02",), negative=True)]
RESULTS = Results(
    {"Target": "embedded <lab>", "Started": "2031-03-04"},
    {"GROW-01": "failed", "GROW-02": "passed"},
    {f"{A}[small]": "passed", f"{A}[big]": "failed", B: "passed"},
)


def verdicts(claims, results=None):
    (sheet,) = matrix([PLAN], claims, results)
    return {row.scenario.id: (row.verdict, [cell.verdict for cell in row.tests]) for row in sheet.rows}


def test_without_results_the_sources_speak():
    assert verdicts(CLAIMS) == {
        "GROW-01": ("tested", ["", ""]),
        "GROW-02": ("tested", [""]),
        "GROW-03": ("excluded", []),
        "GROW-04": ("untested", []),
    }


def test_verdicts_of_a_run():
    assert verdicts(CLAIMS, RESULTS) == {
        "GROW-01": ("failed", ["failed", "failed"]),
        "GROW-02": ("passed", ["passed"]),
        "GROW-03": ("excluded", []),
        "GROW-04": ("untested", []),
    }


def test_what_did_not_run_is_not_passed():
    claims = [*CLAIMS, Claim("t.py::test_new", ("GROW-04",))]

    assert verdicts(claims, RESULTS)["GROW-04"] == ("not run", ["not run"])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([{"implemented": False}], "designed"),
        ([{"quarantined": True}], "quarantined"),
        ([{"quarantined": True}, {"implemented": False}], "quarantined"),
        ([{"quarantined": True}, {}], "passed"),
    ],
)
def test_stubs_and_quarantine_are_never_green(changes, expected):
    claims = [Claim(f"t.py::test_{number}", ("GROW-02",), **each) for number, each in enumerate(changes)]

    assert verdicts(claims, RESULTS)["GROW-02"][0] == expected


def test_text_fits_a_terminal():
    text = FORMS["text"](matrix([PLAN], CLAIMS, RESULTS), RESULTS)

    assert max(map(len, text.splitlines())) <= 100
    assert "stps/sig-x/plan.md  4 scenarios: 1 failed, 1 passed, 1 excluded, 1 untested\n" in text
    assert (
        "  GROW-01   P0 T2 failed       Verify that a disk grows\n"
        "      tests/g/test_a.py\n        test_grow  failed\n        test_grow[big]  failed\n"
    ) in text
    assert "  GROW-03   P2 T3 excluded     Verify that it grows on Windows\n      no Windows image, unsigned\n" in text
    assert "  GROW-04   -- -- untested     " in text


def test_markdown_has_one_row_a_scenario():
    lines = FORMS["markdown"](matrix([PLAN], CLAIMS, RESULTS), RESULTS).splitlines()
    table = [line for line in lines if line.startswith("|")]

    assert "- **Target:** embedded \\<lab>" in lines
    assert len(table) == 2 + 4
    assert {line.replace("\\|", "").count("|") for line in table} == {8}
    assert table[2].startswith(
        "| **CNV-00001** As a user, I want disks to grow so that \\<b>I\\|we\\</b> keep working. |"
    )
    assert table[2].endswith(f"| `{A}` failed<br>`{A}[big]` failed | failed |")
    assert table[3].startswith("|  | **GROW-02** | P1 | 2 | ")
    assert table[4].endswith("| no Windows image, unsigned | excluded |")


class Page(HTMLParser):
    """Notes every open element, every address, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "wbr", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("results", [None, RESULTS])
def test_html_is_one_well_formed_page(results):
    page = Page()
    page.feed(FORMS["html"](matrix([PLAN], CLAIMS, results), results))
    page.close()

    assert page.open == []
    assert page.addresses == []
    assert "so that <b>I|we</b> keep working" in page.text
    assert ("Verdicts of: embedded <lab>, 2031-03-04" in page.text) is (results is not None)


def test_results_folder(tmp_path):
    tests = [{"test": A, "scenarios": ["GROW-01"], "verdict": "passed", "reason": ""}]
    written = {"facts": {"Target": "lab"}, "scenarios": {"GROW-01": "passed"}, "tests": tests}
    (tmp_path / "verdicts.json").write_text(json.dumps(written))

    assert read_results(tmp_path) == Results({"Target": "lab"}, {"GROW-01": "passed"}, {A: "passed"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read: No such file"),
        (b'{"facts": {', "no complete JSON"),
        (b"\xff", "no complete JSON"),
        (b"[" * 100_000, "no complete JSON"),
        (b"[]", "no verdicts of a run"),
        (b'{"facts": {}}', "no verdicts of a run: KeyError"),
        (b'{"facts": {}, "scenarios": {}, "tests": [{}]}', "no verdicts of a run"),
    ],
)
def test_unreadable_results(tmp_path, content, message):
    if content is not None:
        (tmp_path / "verdicts.json").write_bytes(content)

    with pytest.raises(StpError, match=message):
        read_results(tmp_path)
