"""Whatever a file holds: findings or one clear error, never a traceback."""

import random
from pathlib import Path

import pytest

from unittests.stp.reading import CASES
from utilities.stp.errors import StpError
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import load_plan, plan_of
from utilities.stp.showing import show
from utilities.stp.source import decoded, source_of
from utilities.stp.traceability import trace

SEED = 20260105
MUTANTS = 2000
LONGEST = 1500
"""Bytes of a plan that are mutated at a time, so that thousands of mutants stay cheap."""
TEXTS = [path.read_bytes() for path in sorted(CASES.glob("*.md"))]
SCRAPS = [
    *(
        b"- ",
        b"  - ",
        b"**",
        b"*",
        b"[ ]",
        b"[]",
        b"-[x] ",
        b"[P0]",
        b"|",
        b"|---|\n",
        b"<!--",
        b"-->",
        b"```\n",
        b"~~~",
    ),
    *(
        b"#### ",
        b"---\n",
        b"\n\n",
        b"\r\n",
        b"\r",
        b"\t",
        b"> ",
        b"1. ",
        b"[a](b",
        b"![](",
        b"<br/>",
        b":",
        b"\\|",
        b"/",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xff",
        b"\x00",
        b"\xe2\x80\x94",
        b"**[CNV-1]** ",
        b"*Priority:*",
        b"[Name/Date]",
        b"N/A",
        b"@",
    ),
    *(b"*Not automated here:* ", b"v9999999999.1", b"  " * 40 + b"- x\n", b"9" * 400),
]
PATH = Path("stps/sig-x/plan.md")


def mutant(chance):
    """A window of one case with one to eight cuts, swaps, repeats, insertions or garbled bytes."""
    text = chance.choice(TEXTS)
    start = chance.randrange(max(1, len(text) - LONGEST))
    data = bytearray(text[start : start + LONGEST])
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.randint(1, 200))
        kind = chance.randrange(6)
        if kind == 0:
            del data[at:to]
        elif kind == 1:
            data[at:at] = data[at:to] * chance.randint(1, 4)
        elif kind == 2 and at < len(data):
            data[at] = chance.randrange(256)
        elif kind == 3:
            lines = data.split(b"\n")
            chance.shuffle(lines)
            data = bytearray(b"\n".join(lines))
        else:
            data[at:at] = chance.choice(SCRAPS)
    return bytes(data)


def judged(data):
    """Everything the toolchain does with a file, without the disk."""
    plan = plan_of(source_of(decoded(data, PATH), PATH))
    findings = lint(subject_of(plan, fragment=True))
    show(plan)
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
