"""Damaged plans: windows of the handed cases, cut, swapped, repeated, garbled and spiked with scraps of markup."""

from unittests.stp.reading import CASES

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


def mutant(chance, whole=None):
    """A window of one case, or a whole plan, with one to eight cuts, swaps, repeats, insertions or garbled bytes."""
    text = chance.choice(TEXTS)
    start = chance.randrange(max(1, len(text) - LONGEST))
    data = bytearray(whole or text[start : start + LONGEST])
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
