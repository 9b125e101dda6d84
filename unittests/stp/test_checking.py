"""`stp trace` over folders: both directions, descriptions, fixtures, registered marks, silences."""

from textwrap import dedent

import pytest

from utilities.stp.errors import StpError
from utilities.stp.parsing import load_plan
from utilities.stp.traceability.checking import check
from utilities.stp.traceability.registered import registered_marks

PLAN = """
    ### **III. Test Scenarios & Traceability**
    - **[CNV-00001]** — As a user, I want disks to grow so that I keep working.
      - *Test Scenario:* [Tier 2] **GROW-01** — Verify that a disk grows with {}
      - *Priority:* P0
"""
TEST = '''
    """Disks.

    STP: stps/plan.md

    Preconditions:
        - Running VM
    """
    import pytest

    {above}@pytest.mark.scenario("GROW-01")
    {marks}def test_growth({arguments}):
        """
        Test that a disk grows.

        Steps:
            1. Grow the disk
        Expected:
            - The disk has 2 GiB{more}
        """
        assert {arguments}
'''


@pytest.fixture
def checked(tmp_path):
    """Writes a plan, a test and further files, and checks them: [(id, line)] and the silenced ids."""

    def run(variants="one size", comment="", files=(), **test):
        written = {"stps/plan.md": PLAN.format(variants), "tests/x/test_x.py": module(**test), **dict(files)}
        for name, text in written.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text).lstrip("\n"))
        if comment:
            plan = tmp_path / "stps/plan.md"
            plan.write_text(plan.read_text().replace("  - *Test", f"{comment}\n  - *Test"))
        outcome = check([load_plan(tmp_path / "stps/plan.md")], [tmp_path / "tests"], tmp_path)
        return [(each.id, each.line) for each in outcome.findings], [each.id for each, _ in outcome.silenced]

    return run


def module(above="", marks="", arguments="vm", more=""):
    return TEST.format(above=above, marks=marks, arguments=arguments, more=more)


def test_in_step(checked):
    assert checked() == ([], [])


BOTH = "IPv4 and IPv6"


@pytest.mark.parametrize(
    ("test", "files", "expected"),
    [
        ({}, {}, True),
        ({"marks": '@pytest.mark.parametrize("vm", ["ipv4"])\n    '}, {}, True),
        ({"marks": '@pytest.mark.parametrize("vm", ["ipv4", "ipv6"])\n    '}, {}, False),
        (
            {"marks": '@pytest.mark.parametrize("vm", [pytest.param(1, id="ip_v4"), pytest.param(2, id="v6")])\n    '},
            {},
            True,
        ),
        ({"marks": '@pytest.mark.parametrize("vm", computed())\n    '}, {}, False),
        ({}, {"tests/conftest.py": "@pytest.fixture(params=['ipv4', 'ipv6'])\ndef vm(request): ...\n"}, False),
        ({}, {"tests/conftest.py": "@pytest.fixture(params=['ipv4'])\ndef vm(request): ...\n"}, True),
        ({}, {"tests/conftest.py": "@pytest.fixture(params=all_of_them())\ndef vm(request): ...\n"}, False),
        (
            {},
            {
                "tests/conftest.py": "@fixture(params=['ipv4', 'ipv6'], name='net')\ndef _net(request): ...\n",
                "tests/x/conftest.py": "@pytest.fixture\ndef vm(net): ...\n",
            },
            False,
        ),
        (
            {},
            {
                "tests/conftest.py": "@pytest.fixture(params=['ipv4', 'ipv6'])\ndef vm(request): ...\n",
                "tests/x/conftest.py": "@pytest.fixture\ndef vm(): ...\n",
            },
            True,
        ),
    ],
)
def test_variants(checked, test, files, expected):
    found, _ = checked(BOTH, files=files, **test)

    assert (("trace-variant-uncovered", 3) in found) is expected


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("with IPv4 and with IPv6", True),
        ("block/file volumes", True),
        ("on block and file volumes", True),
        ("RWO, RWX", True),
        ("a file on a block volume", False),
        ("with IPv4 while nothing that listens on IPv6 is disturbed", False),
        ("with IPv6", False),
    ],
)
def test_what_counts_as_a_list(checked, text, listed):
    found, _ = checked(text)

    assert (("trace-variant-uncovered", 3) in found) is listed


def test_variants_of_a_goal(checked, tmp_path):
    scope = (
        "#### **1. Scope of Testing**\n**Testing Goals**\n"
        "- **[P0]** Verify that a disk grows with one size\n  - IPv4\n  - IPv6\n"
    )
    found, _ = checked(f"one size\n{scope}")

    assert ("trace-variant-uncovered", 3) in found


def test_a_heuristic_is_silenced_in_the_plan(checked):
    found, silenced = checked(BOTH, "<!-- stp-lint: trace-variant-uncovered - IPv6 comes with CNV-00002 -->")

    assert (found, silenced) == ([], ["trace-variant-uncovered"])


def test_silences_in_a_plan_need_a_reason_and_a_finding(checked):
    assert checked(BOTH, "<!-- stp-lint: trace-variant-uncovered -->")[0] == [
        ("silence-no-reason", 3),
        ("trace-variant-uncovered", 4),
    ]
    assert checked(comment="<!-- stp-lint: trace-variant-uncovered - no need -->")[0] == [("silence-unused", 3)]
    assert checked(comment="<!-- stp-lint: goal-vague - the linter's -->") == ([], [])


def test_what_stops_a_run_cannot_be_silenced(checked, tmp_path):
    found, silenced = checked(
        comment="<!-- stp-lint: trace-scenario-untested - later -->",
        files={"tests/x/test_x.py": ""},
    )

    assert (found, silenced) == ([("silence-unused", 3), ("trace-scenario-untested", 4)], [])


MANY = "\n            - The VM runs"
WHY = "# stp-lint: std-expected-many - one growth, seen from two sides"


def test_a_finding_in_a_test_is_silenced_in_the_test(checked):
    assert checked(more=MANY) == ([("std-expected-many", 17)], [])
    assert checked(more=MANY, above=f"{WHY}\n    ") == ([], ["std-expected-many"])
    assert checked(more=MANY, marks=f"{WHY}\n    ") == ([], ["std-expected-many"])


def test_a_comment_outside_any_test_counts_for_the_file(checked):
    assert checked(more=MANY, above=f"{WHY}\n    X = 1\n\n    ") == ([], ["std-expected-many"])


def test_silences_in_a_test_need_a_reason_and_a_finding(checked):
    assert checked(above=f"{WHY}\n    ")[0] == [("silence-unused", 10)]
    assert checked(above="# stp-lint: std-expected-many\n    ", more=MANY)[0] == [
        ("silence-no-reason", 10),
        ("std-expected-many", 18),
    ]


def test_marks_are_read_from_every_configuration(tmp_path):
    assert registered_marks(tmp_path) is None
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nmarkers = ["slow: takes long", "gpu(n)"]\n')
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    tier3: long\n    sriov\n")
    (tmp_path / "conftest.py").write_text(
        'pytest_plugins = ("plug.ins", "alone")\n'
        'def pytest_configure(config):\n    config.addinivalue_line("markers", "here: x")\n'
    )
    (tmp_path / "plug" / "ins").mkdir(parents=True)
    (tmp_path / "plug" / "ins" / "marks.py").write_text(
        'MARKS = ("scenario(*ids)", "needs: x")\n'
        'def add(config):\n    for mark in MARKS:\n        config.addinivalue_line("markers", mark)\n'
    )
    (tmp_path / "alone.py").write_text('def add(c):\n    c.addinivalue_line("filterwarnings", "no: x")\n')

    own = registered_marks(tmp_path) - registered_marks_of_pytest(tmp_path)

    assert own == {"slow", "gpu", "tier3", "sriov", "here", "scenario", "needs"}


def registered_marks_of_pytest(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "conftest.py").write_text("")
    return registered_marks(empty)


@pytest.mark.parametrize(
    ("name", "text"),
    [("pyproject.toml", "[tool.pytest"), ("setup.cfg", "markers"), ("conftest.py", "def (")],
)
def test_a_broken_configuration_is_named(tmp_path, name, text):
    (tmp_path / name).write_text(text)

    with pytest.raises(StpError, match=rf"{name}:1: "):
        registered_marks(tmp_path)
