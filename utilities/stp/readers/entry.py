"""Section II.4: entry criteria with their boxes."""

from collections.abc import Sequence

from utilities.stp.blocks import Block, ItemList
from utilities.stp.plan import EntryCriterion


def read_entry(blocks: Sequence[Block]) -> tuple[EntryCriterion, ...]:
    """Every top-level item of every list."""
    return tuple(
        EntryCriterion(item.box, item.content, item.line)
        for block in blocks
        if isinstance(block, ItemList)
        for item in block.items
    )
