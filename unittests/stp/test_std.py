"""Rules about test descriptions: each with sources that break it and sources that do not."""

from textwrap import dedent, indent

import pytest

from unittests.stp.reading import plan
from utilities.stp.traceability.cases import cases_in
from utilities.stp.traceability.std import RULES, Described

MARKS = frozenset(
    ("scenario", "parametrize", "gpu", "special_infra", "tier2", "tier3", "xfail", "jira", "skip", "skipif")
)
PLAN = plan("### III. Test Scenarios & Traceability\n")
GOOD = """
    Test that a disk grows.

    Preconditions:
        - Running VM
    Steps:
        1. Grow the disk
    Expected:
        - The disk has 2 GiB
    """


def module(
    docstring=GOOD, *, head='"""Disks.\n\nSTP: stps/sig-x/plan.md\n"""\n', above="", arguments="vm", body="assert vm"
):
    """A test file with one test."""
    documented = f'    """{docstring}"""\n' if docstring is not None else ""
    return f"{head}import pytest\n{above}def test_growth({arguments}):\n{documented}{indent(dedent(body), '    ')}\n"


def changed(old, new, **others):
    assert old in GOOD
    return module(GOOD.replace(old, new), **others)


def found(text):
    """(id, line) of every finding in a test file."""
    cases = cases_in(text, "tests/test_x.py")
    described = [Described(case, (PLAN,), MARKS) for case in cases]
    return [
        (each.id, each.line) for one in described for rule in RULES for each in rule.findings(one, "tests/test_x.py")
    ]


def ids(text):
    return {name for name, _ in found(text)}


def test_a_good_test_has_no_finding():
    assert found(module()) == []


PARAMETRIZED = GOOD.replace(
    "    Preconditions:", "    Parametrize:\n        - size: [small, large]\n    Preconditions:", 1
)
INLINE = GOOD.replace(
    "    Preconditions:",
    "    Parametrize:\n        - family:\n            - v4\n            - v6 [Markers: gpu]\n    Preconditions:",
    1,
)
STUB = module(body="", above="__test__ = False\n")

CASES = [
    ("std-docstring-missing", module(None), [module(), module(None, above="__test__ = False\n")]),
    ("std-section-missing", changed("    Expected:\n        - The disk has 2 GiB\n", ""), []),
    ("std-section-missing", changed("    Steps:\n        1. Grow the disk\n", ""), []),
    (
        "std-section-missing",
        changed("    Preconditions:\n        - Running VM\n", ""),
        [
            changed(
                "    Preconditions:\n        - Running VM\n",
                "",
                head='"""Disks.\n\nSTP: stps/sig-x/plan.md\n\nPreconditions:\n    - Running VM\n"""\n',
            )
        ],
    ),
    ("std-section-name", changed("Expected:", "Expected Results:"), []),
    ("std-section-name", changed("Preconditions:", "Setup:"), []),
    ("std-section-name", changed("Steps:", "Notes:"), []),
    ("std-description-missing", changed("    Test that a disk grows.\n\n", ""), []),
    ("std-steps-unnumbered", changed("1. Grow the disk", "- Grow the disk"), []),
    (
        "std-steps-unnumbered",
        changed("1. Grow the disk", "1. Grow the disk\n        3. Look"),
        [changed("1. Grow the disk", "1. Grow the disk\n           - by 1 GiB\n        2. Look\n           twice")],
    ),
    (
        "std-expected-many",
        changed("- The disk has 2 GiB", "- The disk has 2 GiB\n        - The VM can be stopped"),
        [changed("- The disk has 2 GiB", "- The disk has 2 GiB\n          and keeps them\n            - seen twice")],
    ),
    (
        "std-negative-unmarked",
        changed("Test that a disk grows.", "Test that growth beyond the free space is refused."),
        [
            changed("Test that a disk grows.", "[NEGATIVE] Test that growth beyond the free space is refused."),
            changed("Test that a disk grows.", "Test that a copy that cannot keep up is paused."),
            changed("- The disk has 2 GiB", "- The second one succeeds, the first one still reads Failed"),
        ],
    ),
    ("std-negative-unmarked", changed("- The disk has 2 GiB", "- The growth fails with a reason"), []),
    ("std-negative-unmarked", changed("- The disk has 2 GiB", "- The request does not succeed"), []),
    (
        "std-plan-link-missing",
        module(head='"""Disks."""\n'),
        [
            module(head='"""Disks.\n\nEpic: CNV-00001\n"""\n'),
            changed(
                "Test that a disk grows.", "Test that a disk grows.\n\n    STP: stps/sig-x/plan.md", head='"""D."""\n'
            ),
        ],
    ),
    (
        "std-plan-link-dead",
        module(head='"""Disks.\n\nSTP: stps/sig-x/other.md\n"""\n'),
        [
            module(head='"""Disks.\n\nSTP: https://x.example/blob/main/stps/sig-x/plan.md\n"""\n'),
            module(head='"""Disks.\n\nSTP: https://x.example/browse/CNV-00001\n"""\n'),
        ],
    ),
    ("std-plan-link-dead", module(head='"""Disks.\n\nSTP: README.md\n"""\n'), []),
    (
        "std-stub-collected",
        module(body=""),
        [STUB, module(body="", above="").rstrip() + "\ntest_growth.__test__ = False\n"],
    ),
    ("std-stub-collected", module(body="..."), []),
    ("std-implemented-off", module(above="__test__ = False\n"), [STUB]),
    (
        "std-markers-unconverted",
        changed("    Preconditions:", "    Markers:\n        - special_infra\n    Preconditions:"),
        [
            changed(
                "    Preconditions:",
                "    Markers:\n        - special_infra\n    Preconditions:",
                above="@pytest.mark.special_infra\n",
            ),
            changed("    Preconditions:", "    Markers:\n        - tier2\n    Preconditions:"),
            changed(
                "    Preconditions:",
                "    Markers:\n        - tier3\n    Preconditions:",
                above="@pytest.mark.scenario('A-1')\n",
            ),
            changed(
                "    Preconditions:",
                "    Markers:\n        - gpu\n    Preconditions:",
                body="",
                above="__test__ = False\n",
            ),
        ],
    ),
    (
        "std-markers-unconverted",
        module(
            head='"""Disks.\n\nSTP: stps/sig-x/plan.md\n\nMarkers:\n    - special_infra\n"""\n',
            above="@pytest.mark.special_infra\n",
        ),
        [
            module(
                head='"""Disks.\n\nSTP: stps/sig-x/plan.md\n\nMarkers:\n    - tier3\n"""\n',
                above="pytestmark = pytest.mark.tier3\n",
            )
        ],
    ),
    (
        "std-markers-unconverted",
        module(INLINE, arguments="vm, family", above="@pytest.mark.parametrize('family', ['v4', 'v6'])\n"),
        [
            module(
                INLINE,
                arguments="vm, family",
                above="@pytest.mark.special_infra\n"
                "@pytest.mark.parametrize('family', ['v4', pytest.param('v6', marks=pytest.mark.gpu)])\n",
            )
        ],
    ),
    ("std-marker-unknown", module(above="@pytest.mark.teir3\n"), [module(above="@pytest.mark.tier3\n")]),
    (
        "std-parametrize-mismatch",
        module(PARAMETRIZED, arguments="vm, size", above="@pytest.mark.parametrize('size', ['small'])\n"),
        [
            module(PARAMETRIZED, arguments="vm, size", above="@pytest.mark.parametrize('size', ['small', 'large'])\n"),
            module(PARAMETRIZED, arguments="vm, size", above="@pytest.mark.parametrize('size', [*SIZES, 'large'])\n"),
            module(
                PARAMETRIZED,
                arguments="vm, size",
                above="LARGE = pytest.param(f(2), id='large')\n"
                "@pytest.mark.parametrize('size', [pytest.param(1, id='small'), LARGE])\n",
            ),
            module(PARAMETRIZED, arguments="vm, size"),
        ],
    ),
    ("std-parametrize-mismatch", module(PARAMETRIZED), []),
    (
        "std-parametrize-mismatch",
        module(
            PARAMETRIZED,
            arguments="vm, size, mode",
            above="@pytest.mark.parametrize('size, mode', [('small', 'block'), ('large', 'file')])\n",
        ),
        [
            module(
                PARAMETRIZED.replace("- size: [small, large]", "- size, mode"),
                arguments="vm, size, mode",
                above="@pytest.mark.parametrize('size, mode', [('small', 'block'), ('large', 'file')])\n",
            )
        ],
    ),
    ("std-code-in-text", changed("1. Grow the disk", "1. Call `grow`"), []),
    (
        "std-code-in-text",
        changed("1. Grow the disk", "1. Grow vm_with_disk", arguments="vm, vm_with_disk"),
        [
            changed("1. Grow the disk", "1. Grow the disk of the vm"),
            module(PARAMETRIZED.replace("size", "vm_size"), arguments="vm, vm_size"),
        ],
    ),
    ("std-resource-unnamed", changed("- Running VM", "- VM-A and VM-B, both running"), []),
    (
        "std-resource-unnamed",
        changed("- Running VM", "- The first VM runs"),
        [
            changed("- Running VM", "- Running VM that gives the guest a disk"),
            changed("- Running VM", "- Two running VMs"),
        ],
    ),
    ("std-implicit-mark-written", module(above="@pytest.mark.tier2\n"), []),
    ("std-skip-used", module(above="@pytest.mark.skip(reason='x')\n"), []),
    ("std-skip-used", module(above="@pytest.mark.skipif(True, reason='x')\n"), []),
    ("std-skip-used", module(body="if not vm:\n    pytest.skip('no VM')\nassert vm"), []),
    (
        "std-skip-used",
        module(
            arguments="vm, size",
            above="@pytest.mark.parametrize('size', [pytest.param('a', marks=pytest.mark.skip(reason='x'))])\n",
        ),
        [],
    ),
    (
        "std-quarantine-form",
        module(above="@pytest.mark.xfail(reason='quarantined: slow, CNV-00071')\n"),
        [module(above="@pytest.mark.xfail(reason=f'{QUARANTINED}: slow, CNV-00071', run=False)\n")],
    ),
    ("std-quarantine-form", module(above="@pytest.mark.xfail(reason='quarantined: slow', run=False)\n"), []),
    (
        "std-quarantine-form",
        module(above="@pytest.mark.jira('CNV-00070')\n"),
        [module(above="@pytest.mark.jira('CNV-00070', run=False)\n")],
    ),
    (
        "std-special-infra-missing",
        module(above="@pytest.mark.gpu\n"),
        [module(above="@pytest.mark.gpu\n@pytest.mark.special_infra\n")],
    ),
    (
        "std-special-infra-missing",
        module(
            arguments="vm, size", above="@pytest.mark.parametrize('size', [pytest.param('a', marks=pytest.mark.gpu)])\n"
        ),
        [],
    ),
]


@pytest.mark.parametrize(
    ("name", "bad", "good"), CASES, ids=[f"{number}-{each[0]}" for number, each in enumerate(CASES)]
)
def test_rule(name, bad, good):
    assert name in ids(bad)
    for text in good:
        assert name not in ids(text), text


def test_every_rule_is_tested():
    assert {rule.id for rule in RULES} == {name for name, _, _ in CASES}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (changed("Expected:", "Expected Results:"), ("std-section-name", 14)),
        (changed("    Test that a disk grows.\n\n", ""), ("std-description-missing", 8)),
        (changed("- Running VM", "- Running VM-A"), ("std-resource-unnamed", 11)),
        (module(head='"""Disks.\n\nSTP: stps/sig-x/other.md\n"""\n'), ("std-plan-link-dead", 3)),
        (module(above="\n@pytest.mark.teir3\n"), ("std-marker-unknown", 7)),
        (module(None), ("std-docstring-missing", 6)),
    ],
)
def test_lines(text, place):
    assert place in found(text)


def test_other_names_of_sections_count_as_present():
    assert ids(changed("Expected:", "Expected Results:")) == {"std-section-name"}
    assert ids(changed("Steps:", "Test Steps:")) == {"std-section-name"}
    assert ids(changed("Preconditions:", "Prerequisites:")) == {"std-section-name"}


def test_a_module_without_link_is_told_once():
    text = module(head='"""Disks."""\n') + module(head="").replace("test_growth", "test_shrinking")

    assert set(found(text)) == {("std-plan-link-missing", 1)}


def test_marks_that_were_not_read_are_not_judged():
    (case,) = cases_in(module(above="@pytest.mark.teir3\n"), "tests/test_x.py")

    assert [rule.id for rule in RULES for _ in rule.findings(Described(case, (PLAN,)), "tests/test_x.py")] == []


STUB_OF_THE_GUIDE = '''
"""
Growing disks of running VMs

STP: https://plans.example.com/stps/sig-x/plan.md

Markers:
    - tier3
Preconditions:
    - Running under-test VM with a data disk
"""

class TestDiskGrowth:
    """
    Tests for growing a disk.

    Preconditions:
        - File "/data/a" holds "before"
    """
    __test__ = False

    def test_growth_beyond_free_space_is_refused(self):
        """
        [NEGATIVE] Test that growth beyond the backend's free space is refused.

        Parametrize:
            - volume_mode: [block, file]
            - ip_family:
                - ipv4 [Markers: ipv4]
        Preconditions:
            - Running under-test VM with a data disk
        Steps:
            1. Grow the data disk by more than the free space
        Expected:
            - Growth is refused with a reason
        """
'''


def test_the_stub_of_the_guide_has_no_finding():
    assert found(STUB_OF_THE_GUIDE) == []


def test_what_the_stub_announces_is_due_with_the_implementation():
    implemented = STUB_OF_THE_GUIDE.replace("    __test__ = False\n", "") + "        assert self.grow()\n"

    assert ids(implemented) == {"std-markers-unconverted", "std-parametrize-mismatch"}
