"""Answers with one thing wrong each: what nobody notices is not checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from unittests.lab_socket.conversation import Heard, complaints
from unittests.lab_socket.line import Reply
from unittests.lab_socket.matching import REST


def unnoticed(heard: Iterable[Heard]) -> list[str]:
    """Every wrong answer about which a step does not complain."""
    found = []
    for one in heard:
        for what, reply in _doctored(one):
            if not complaints(one.step, reply):
                found.append(f"{one.step['say']}: {what}")
    return found


def _doctored(heard: Heard) -> Iterator[tuple[str, Reply]]:
    yield "another status", replace(heard.reply, status=599)
    if "send" in heard.step or "watch" in heard.step:
        yield (
            "another Content-Type",
            replace(heard.reply, headers={"content-type": f"{heard.reply.kind};charset=utf-8"}),
        )
    if "has" in heard.step:
        for what, body in _spoiled(heard.step["has"], heard.reply.body, "answer"):
            yield what, replace(heard.reply, body=body)


def _spoiled(expected: Any, actual: Any, at: str) -> Iterator[tuple[str, Any]]:
    """The answer, each thing that is expected of it wrong in turn."""
    if isinstance(expected, Mapping):
        for key, inner in expected.items():
            if inner is None:
                yield f"{at}.{key} is there", {**actual, key: "something"}
            for what, value in _spoiled(inner, actual.get(key), f"{at}.{key}") if inner is not None else ():
                yield what, {**actual, key: value}
    elif isinstance(expected, list):
        if expected[:1] == [REST]:
            yield f"{at} is empty", []
        else:
            yield f"{at} has one more", [*actual, {}]
            for index, inner in enumerate(expected):
                for what, value in _spoiled(inner, actual[index], f"{at}[{index}]"):
                    yield what, [*actual[:index], value, *actual[index + 1 :]]
    else:
        yield f"{at} is something else", "something else"
