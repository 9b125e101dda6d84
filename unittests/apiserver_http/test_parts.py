"""Small parts of the front on their own: paths, versions, Accept headers, characters, members named twice."""

import asyncio

import pytest

from lab.apiserver.discovery.aggregated import version_of
from lab.apiserver.discovery.versions import grouped
from lab.apiserver.http.negotiation import Form, form_of
from lab.apiserver.http.paths import Target, parse_target, segments
from lab.apiserver.streams.pumps import characters

V2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/api/v1/nodes", Target("", "v1", "nodes")),
        ("/api/v1/nodes/n%2F1", Target("", "v1", "nodes", None, "n/1")),
        ("/api/v1/namespaces", Target("", "v1", "namespaces")),
        ("/api/v1/namespaces/t", Target("", "v1", "namespaces", None, "t")),
        ("/api/v1/namespaces/t/status", Target("", "v1", "namespaces", None, "t", "status")),
        ("/api/v1/namespaces/t/finalize", Target("", "v1", "namespaces", None, "t", "finalize")),
        ("/api/v1/namespaces/t/pods/p/log", Target("", "v1", "pods", "t", "p", "log")),
        ("/apis/g/v2/namespaces/t/status", Target("g", "v2", "status", "t")),
        ("/apis/g/v2/namespaces/t/vs/x/pf/22/tcp", Target("g", "v2", "vs", "t", "x", "pf", ("22", "tcp"))),
        ("/apis/g/v2/", None),
        ("/api/v1", None),
        ("/version", None),
    ],
)  # fmt: skip
def test_paths(path, target):
    assert parse_target(segments(path)) == target


def test_versions_in_order_of_preference():
    found = grouped([("g", "v1alpha1"), ("g", "v2beta1"), ("g", "v1"), ("g", "v10"), ("g", "weird"), ("h", "v1")])
    assert found == {"g": ("v10", "v1", "v2beta1", "v1alpha1", "weird"), "h": ("v1",)}


@pytest.mark.parametrize(
    ("accept", "version"),
    [
        (V2, "v2"), (f"{V2.replace('v2', 'v2beta1', 1)},application/json", "v2beta1"), ("application/json", None),
        (f"{V2};profile=nopeer,{V2},application/json", "v2"), (f"application/json,{V2}", None), (None, None),
    ],
)  # fmt: skip
def test_who_gets_aggregated_discovery(accept, version):
    assert version_of(accept) == version


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("application/json;g=meta.k8s.io;v=v1;as=Table, application/json", Form("table", "v1")),
        ("application/json;as=Table;v=v1beta1;g=meta.k8s.io", Form("table", "v1beta1")),
        ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", Form()),
        ("application/json;q=0.1,application/json;as=Table;v=v1;g=meta.k8s.io", Form("table", "v1")),
    ],
)
def test_forms(accept, form):
    assert form_of(accept) == form


def test_no_character_is_split_and_broken_text_is_not_held_back():
    async def fed(*parts: bytes) -> list[bytes]:
        reader = asyncio.StreamReader()
        for part in parts:
            reader.feed_data(part)
        reader.feed_eof()
        return [piece async for piece in characters(reader)]

    text = "aä€🙂".encode() * 5000
    pieces = asyncio.run(fed(text))
    assert b"".join(pieces) == text
    assert len(pieces) > 1
    assert [piece.decode() for piece in pieces]
    assert asyncio.run(fed(b"\xff\xfe\x80\x80\x80\x80")) == [b"\xff\xfe\x80\x80\x80\x80"]
    assert b"".join(asyncio.run(fed("ä".encode()[:1]))) == "ä".encode()[:1]
