"""Claims read from source: marks on every level, stubs, descriptions, plan links."""

from pathlib import Path
from textwrap import dedent

import pytest

from utilities.stp.errors import StpError
from utilities.stp.traceability import claim_docstring, describe, read_claims
from utilities.stp.traceability.cases import cases_in
from utilities.stp.traceability.claims import claims_of
from utilities.stp.traceability.fixtures import Fixtures


def claims_in(text, name):
    return claims_of(cases_in(text, name), Fixtures(Path("/nowhere")))


def read(text):
    return claims_in(dedent(text).lstrip("\n"), "tests/x/test_y.py")


def test_marks_of_module_class_and_function_add_up():
    (claim,) = read(
        '''
        """Growing disks.

        STP: https://x.example/stps/sig-x/plan.md
        """
        import allure
        import pytest

        pytestmark = [pytest.mark.scenario("A-1"), pytest.mark.usefixtures("z")]

        @pytest.mark.tier3
        class TestGrowth:
            """Growth."""

            pytestmark = pytest.mark.scenario("A-2")

            @allure.severity(allure.severity_level.CRITICAL)
            @pytest.mark.scenario("A-3", "A-4", caught_by="fault")
            def test_refused(self, vm):
                """
                [NEGATIVE] Test that growth is refused.

                Expected:
                    - Growth is refused
                """
                assert vm
        '''
    )

    assert claim.test_id == "tests/x/test_y.py::TestGrowth::test_refused"
    assert claim.scenario_ids == ("A-3", "A-4", "A-1", "A-2")
    assert (claim.tiers, claim.severity, claim.negative, claim.implemented) == (("tier3",), "critical", True, True)
    assert (claim.plan_path, claim.line) == ("https://x.example/stps/sig-x/plan.md", 18)
    assert claim.description == "Test that growth is refused."


def test_parameter_sets_claim_for_themselves():
    claims = read(
        """
        import pytest
        from pytest import mark, param

        PHASES = [param("a", id="a", marks=mark.scenario("A-1")), param("b", marks=[mark.tier3, mark.scenario("A-2")])]

        @mark.parametrize("phase", PHASES)
        def test_all_marked(phase):
            assert phase

        @mark.scenario("A-3")
        @mark.parametrize("phase", [*PHASES, "c"])
        def test_computed(phase):
            assert phase

        @mark.scenario("A-3")
        @mark.parametrize("phase", [param("a", marks=mark.scenario("A-1")), "c"])
        def test_mixed(phase):
            assert phase
        """
    )

    assert [(claim.test_id.partition("::")[2], claim.scenario_ids, claim.tiers) for claim in claims] == [
        ("test_all_marked[a]", ("A-1",), ()),
        ("test_all_marked[b]", ("A-2",), ("tier3",)),
        ("test_computed", ("A-3",), ()),
        ("test_mixed[a]", ("A-1", "A-3"), ()),
        ("test_mixed", ("A-3",), ()),
    ]


@pytest.mark.parametrize(
    ("body", "implemented"),
    [
        ("def test_a():\n    '''Docs'''\n", False),
        ("def test_a():\n    '''Docs'''\n    pass\n", False),
        ("def test_a():\n    assert 1\n", True),
        ("async def test_a():\n    assert 1\n", True),
        ("def test_a():\n    assert 1\ntest_a.__test__ = False\n", False),
        ("__test__ = False\ndef test_a():\n    assert 1\n", False),
        ("class TestX:\n    __test__ = False\n    def test_a(self):\n        assert 1\n", False),
    ],
)
def test_stubs_are_not_implemented(body, implemented):
    assert [claim.implemented for claim in claims_in(body, "test_x.py")] == [implemented]


def test_constants_and_expressions_as_ids():
    claims = read(
        """
        import pytest
        ID = "A-1"
        mine = pytest.mark.scenario(ID)

        @mine
        def test_constant():
            assert 1

        @pytest.mark.scenario(f"A-{2}")
        def test_expression():
            assert 1
        """
    )

    assert [claim.scenario_ids for claim in claims] == [("A-1",), ("f'A-{2}'",)]


def test_only_tests_count(tmp_path):
    (tmp_path / "conftest.py").write_text("def test_no(): assert 1\n")
    (tmp_path / "helper.py").write_text("def test_no(): assert 1\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "test_b.py").write_text("def helper(): ...\nclass Tools:\n    def test_no(self): ...\n")
    (tmp_path / "sub" / "a_test.py").write_text("def test_yes(): assert 1\n")

    assert [claim.test_id for claim in read_claims([tmp_path], tmp_path)] == ["sub/a_test.py::test_yes"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"def test_a(:\n", r"test_a\.py:1: no Python: "),
        (b"x = 1\n\xff\n", r"test_a\.py:2: byte 0xff is not UTF-8"),
        (b"x = 1\n\0", r"test_a\.py:2: NUL byte"),
        (b"x = " + b"(" * 5000, r"test_a\.py:1: no Python: "),
    ],
)
def test_unreadable_test_file(tmp_path, content, message):
    (tmp_path / "test_a.py").write_bytes(content)

    with pytest.raises(StpError, match=message):
        read_claims([tmp_path], tmp_path)


def test_absent_test_file():
    with pytest.raises(StpError, match=r"absent\.py:1: cannot read"):
        read_claims([Path("absent.py")], Path())


def test_description_in_sections():
    read_ = describe(
        """
        [NEGATIVE] Test that growth
        is refused.

        Preconditions:
            - A VM
        Steps:
            1. Grow
            2. Look
        Expected Results:
        - Refused
        """
    )

    assert (read_.text, read_.negative, read_.plan_path) == ("Test that growth is refused.", True, None)
    assert [(part.name, part.lines, part.line) for part in read_.parts] == [
        ("Preconditions", ("- A VM",), 4),
        ("Steps", ("1. Grow", "2. Look"), 6),
        ("Expected Results", ("- Refused",), 9),
    ]


@pytest.mark.parametrize(
    ("docstring", "link"),
    [
        ("Drain.  STP: stps/a.md", "stps/a.md"),
        ("Drain.\n\nSTP Reference:\n    https://x.example/stps/a.md\n", "https://x.example/stps/a.md"),
        ("Drain.\n\nSTP: stps/a.md.", "stps/a.md"),
        ("Drain, see README", None),
    ],
)
def test_plan_links(docstring, link):
    assert claim_docstring("Test that x", "", docstring).plan_path == link
    assert claim_docstring("Test that x\n\nSTP: own.md", docstring).plan_path == "own.md"
