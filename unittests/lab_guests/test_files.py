"""Contents that are described instead of stored, checked against plain bytes; permissions and paths."""

import errno

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.guests.accounts import ROOT, Account
from lab.guests.content import Content, Filler
from lab.guests.files import Directory, Link, Volume
from lab.guests.filesystem import FileSystem

USER = Account("user", 1000, "/home/user")
PIECES = st.one_of(
    st.binary(max_size=40),
    st.builds(Filler, st.integers(1, 40), st.one_of(st.none(), st.integers(0, 3)), st.integers(0, 70_000)),
)


@given(st.lists(st.tuples(st.integers(0, 120), PIECES), max_size=12), st.integers(0, 130), st.integers(0, 130))
@settings(max_examples=150)
def test_content_reads_like_the_bytes_it_describes(writes, offset, limit):
    content, model = Content(), bytearray()
    for position, data in writes:
        raw = data.materialise() if isinstance(data, Filler) else data
        if not raw:
            continue
        content.write(position, data)
        model.extend(bytes(max(0, position - len(model))))
        model[position : position + len(raw)] = raw
    assert content.size == len(model)
    assert content.read() == model
    assert content.read(offset, limit) == model[offset : offset + limit]
    cut = min(offset, content.size)
    content.truncate(cut)
    assert content.read() == model[:cut]


@pytest.fixture
def files():
    """A tree with a public and a private directory."""
    system = FileSystem(Directory(Volume(1000)), lambda: 0.0)
    system.make_directories("/open").mode = 0o1777
    system.make_directories("/shut/in", mode=0o700)
    return system


def code(act, *args):
    """The errno of a call that fails."""
    with pytest.raises(OSError) as caught:
        act(*args)
    return caught.value.errno


def test_errors_are_those_of_the_real_calls(files):
    files.write("/open/f", b"x")
    assert code(files.lookup, "/open/none") == errno.ENOENT
    assert code(files.lookup, "/none/f") == errno.ENOENT
    assert code(files.lookup, "/open/f/x") == errno.ENOTDIR
    assert code(files.open, "/open", "w", ROOT) == errno.EISDIR
    assert code(files.make_directory, "/open/f", ROOT) == errno.EEXIST
    assert code(files.remove, "/shut", ROOT) == errno.ENOTEMPTY
    assert code(files.open, "/f", "w", USER) == errno.EACCES
    assert code(files.open, "/open/f", "w", USER) == errno.EACCES
    assert code(files.remove, "/open/f", USER) == errno.EPERM
    assert code(files.write, "/open/big", bytes(1001)) == errno.ENOSPC


def test_space_comes_back_when_files_go(files):
    for _ in range(5):
        handle = files.open("/open/f", "w", USER)
        handle.write(bytes(900))
        handle.release()
    files.remove("/open/f", USER)
    assert files.root.volume.used == 0


def test_links_are_followed_and_loops_found(files):
    files.write("/shut/f", b"x")
    files.root.put("link", Link("shut"))
    files.root.put("up", Link("../link/f"))
    files.root.put("loop", Link("loop"))

    assert files.read("/link/f") == files.read("/up") == b"x"
    assert isinstance(files.lookup("/up", follow=False), Link)
    assert code(files.lookup, "/loop") == errno.ELOOP
