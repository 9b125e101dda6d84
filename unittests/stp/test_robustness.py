"""Whatever a file holds: findings or one clear error, never a traceback."""

import random
from pathlib import Path

import pytest

from unittests.stp.mutants import mutant
from unittests.stp.reading import CASES
from utilities.stp.errors import StpError
from utilities.stp.linting import lint, subject_of
from utilities.stp.outlining import outline
from utilities.stp.parsing import load_plan, plan_of
from utilities.stp.showing import show
from utilities.stp.source import decoded, source_of
from utilities.stp.traceability import trace

SEED = 20260105
MUTANTS = 1500
PATH = Path("stps/sig-x/plan.md")
TEXTS = [path.read_bytes() for path in sorted(CASES.glob("*.md"))]


def judged(data):
    """Everything the toolchain does with a file, without the disk."""
    plan = plan_of(source_of(decoded(data, PATH), PATH))
    findings = lint(subject_of(plan, fragment=True))
    show(plan)
    outline(plan)
    trace([plan], [])
    lines = plan.source.text.count("\n") + 1
    assert all(1 <= finding.line <= lines for finding in findings), [str(finding) for finding in findings]
    return findings


def outcome(data):
    """The number of findings, or the message of the error."""
    try:
        return len(judged(data))
    except StpError as error:
        return str(error)


def test_mutated_plans():
    chance = random.Random(SEED)

    outcomes = [outcome(mutant(chance)) for _ in range(MUTANTS)]

    refused = [message for message in outcomes if isinstance(message, str)]
    assert 0 < len(refused) < MUTANTS / 2
    assert [message for message in refused if not message.startswith(f"{PATH}:")] == []


def test_extremes():
    clean = (CASES / "00-clean.md").read_text()
    deep = "\n".join("  " * depth + "- **Risk:** x" for depth in range(300))
    for text in (
        "",
        "\n",
        "# ",
        clean.replace("\n", "\r\n"),
        "\ufeff" + clean,
        "#### **5. Risks**\n" + deep,
        ">" * 3000 + " x",
        "[" * 30_000,
        "![" * 30_000,
        "**" * 30_000,
        "| a " * 2000 + "|\n" + "|--" * 2000 + "|\n",
        "<!--" * 5000,
        "### **III. Test Scenarios & Traceability**\n- **[C-1]** x\n  - *Test Scenario:* y\n  - *Not automated here:* "
        + "a - " * 20_000,
    ):
        judged(text.encode())


def test_line_ends_change_nothing():
    clean = (CASES / "07-scenarios.md").read_bytes()

    places = [(finding.id, finding.line) for finding in judged(clean)]

    assert [(finding.id, finding.line) for finding in judged(b"\xef\xbb\xbf" + clean.replace(b"\n", b"\r\n"))] == places


def test_five_megabytes_are_refused(tmp_path):
    path = tmp_path / "plan.md"
    path.write_bytes(TEXTS[0] * (5_000_000 // len(TEXTS[0])))

    with pytest.raises(StpError, match="a plan has at most 500000"):
        load_plan(path)


def test_binary_files_are_refused():
    chance = random.Random(SEED)
    for _ in range(100):
        message = outcome(b"#" + chance.randbytes(chance.randint(200, 5000)))
        assert isinstance(message, str)
        assert message.startswith(f"{PATH}:")
