"""Lists and two-column tables of labelled values: metadata, environment, tools."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from utilities.stp.blocks import Block, Item, ItemList, Table
from utilities.stp.plan import Field
from utilities.stp.text import Text
from utilities.stp.values import is_empty
from utilities.stp.vocabulary import ENVIRONMENT_FIELDS, TOOL_FIELDS, words

_ENVIRONMENT_KEYS = {
    "topology": "Cluster Topology",
    "version": "OCP & OpenShift Virtualization Version(s)",
    "versions": "OCP & OpenShift Virtualization Version(s)",
    "cpu": "CPU Virtualization",
    "compute": "Compute Resources",
    "hardware": "Special Hardware",
    "storage": "Storage",
    "network": "Network",
    "operators": "Required Operators",
    "platform": "Platform",
    "configurations": "Special Configurations",
    "configuration": "Special Configurations",
}
_TOOL_KEYS = {"framework": "Test Framework", "ci": "CI/CD", "other": "Other Tools"}


def labelled(item: Item) -> tuple[str, Text] | None:
    """(label, value) of an item; the emphasis may be missing when a colon ends the label."""
    found = item.text.field
    if found is not None:
        return found
    lead = item.text.lead
    if lead is not None and item.items and not lead[1]:
        return lead[0].flat.rstrip(":"), Text()
    plain = item.text.plain
    colon = plain.find(":")
    if colon > 0 and plain[colon : colon + 3] != "://":
        return plain[:colon].strip(" *_"), item.text.after(colon + 1).trimmed()
    return None


def read_fields(blocks: Sequence[Block]) -> Iterator[Field]:
    """Every labelled value; `name` is left equal to `label` for the caller to translate."""
    for block in blocks:
        if isinstance(block, ItemList):
            for item in block.items:
                found = labelled(item)
                if found is not None:
                    yield Field(found[0], found[0], found[1], item.items, item.line)
        elif isinstance(block, Table):
            for row in block.rows:
                label = row.cell(0).flat.rstrip(":")
                values = [cell for cell in row.cells[1:] if not is_empty(cell)]
                value = values[0] if values else row.cell(1)
                if label:
                    yield Field(label, label, value, (), row.line)


def read_environment(blocks: Sequence[Block]) -> Iterator[Field]:
    """Section II.3."""
    return _named(blocks, ENVIRONMENT_FIELDS, _ENVIRONMENT_KEYS)


def read_tools(blocks: Sequence[Block]) -> Iterator[Field]:
    """Section II.3.1."""
    return _named(blocks, TOOL_FIELDS, _TOOL_KEYS)


def _named(blocks: Sequence[Block], names: Sequence[str], keys: Mapping[str, str]) -> Iterator[Field]:
    """Fields under the template's names: by their exact words, else by the first word that identifies one."""
    exact = {words(name): name for name in names}
    for field in read_fields(blocks):
        plain = words(field.label)
        name = exact.get(plain) or next((keys[word] for word in plain.split() if word in keys), field.label)
        yield replace(field, name=name)
