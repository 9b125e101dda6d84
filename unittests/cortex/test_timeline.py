"""The picture of double-blocking has a lane for each place, and shows what holds at its end."""

import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import pytest

from unittests.cortex.story import Story
from utilities.cortex.timeline import picture

SVG = "{http://www.w3.org/2000/svg}"


def stranded():
    """The slot stays behind, empty."""
    story = Story()
    story.lists("dst", "vm", second=10)
    story.lists("src", second=15)
    story.slot("src", "src", expected=False, second=17)
    return story


def drawn(story):
    server = SimpleNamespace(id="vm", name="the-vm")
    vm = SimpleNamespace(server=server, slot="s")
    moves = SimpleNamespace(vms=(vm,), blocking=story.blocking(), host=lambda _: "dst")
    return ElementTree.fromstring(picture("a picture", moves))  # noqa: S314  our own


def texts(root):
    return {node.text for node in root.iter(f"{SVG}text")}


@pytest.mark.parametrize(("story", "words"), [(Story.followed, "dst"), (stranded, "src, empty")])
def test_lanes_of_vm_and_slot(story, words):
    told = texts(drawn(story()))
    assert {"the-vm listed by src", "the-vm listed by dst", "slot s", "blocked twice, GiB", words} <= told


def test_peak_is_told():
    assert "at most 32 GiB" in texts(drawn(Story.followed()))
