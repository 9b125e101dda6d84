"""What a real program asked, replayed: requests in their order, as data, and what must be answered.

One YAML document with `headers` (sets of headers by name), `steps`, and `forms` for anchors; it may be in several
files, one behind the other. A step is one of
    send: METHOD PATH       with `headers` (name of a set), `body` (JSON) or `protobuf` (below), `status`, `kind`
                            (Content-Type), `has` (see matching), `keep` (name: path in the answer; `header X`)
    watch: NAME             with `path` and `headers`
    event: NAME             the next event, with `has` and `keep`
    until: NAME             events come until one has `has`
    ends: NAME              the watch ends cleanly after events like `has`
    passes: SECONDS         product time
`${name}` stands for something kept, or given at the beginning. A protobuf body is {apiVersion, kind, fields}; fields
are {number: text, integer, fields, or a list of these}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from unittests.apiserver_http.test_protobuf import envelope
from unittests.apiserver_http.test_protobuf import field as encoded_field
from unittests.lab_socket.line import Line, Reply
from unittests.lab_socket.matching import differences, filled, found


@dataclass(frozen=True)
class Heard:
    """A step that was answered: what was expected, and what came."""

    step: Mapping[str, Any]
    reply: Reply

    @property
    def complaints(self) -> list[str]:
        """Everything that is not as expected."""
        return complaints(self.step, self.reply)


@dataclass
class Conversation:
    """Steps spoken to one server. files: parts of one document; known: what placeholders stand for."""

    files: Sequence[Path]
    line: Line
    known: dict[str, Any]
    passes: Callable[[float], None] = lambda _: None
    heard: list[Heard] = field(default_factory=list)

    def speak(self) -> None:
        """All of it; stops at the first answer that is not as expected."""
        told = yaml.safe_load("".join(file.read_text(encoding="utf-8") for file in self.files))
        for number, raw in enumerate(told["steps"], start=1):
            kept = raw.get("keep", {})
            step = filled({key: value for key, value in raw.items() if key != "keep"}, self.known)
            if "passes" in step:
                self.passes(step["passes"])
                continue
            heard = Heard(step, self._done(step, told["headers"]))
            self.heard.append(heard)
            where = f"{self.files[0].parent.name}, step {number} ({step['say']})"
            assert not heard.complaints, f"{where}:\n" + "\n".join(heard.complaints)
            for name, path in kept.items():
                self.known[name] = _kept(path, heard.reply)
                assert self.known[name] is not None, f"{where}: nothing at {path}"

    def _done(self, step: Mapping[str, Any], headers: Mapping[str, Any]) -> Reply:
        if "event" in step:
            return Reply(200, {}, self.line.event(step["event"]))
        if "until" in step:
            return Reply(200, {}, self._awaited(step["until"], step["has"]))
        if "ends" in step:
            return Reply(200, {}, self.line.rest(step["ends"]))
        sent = filled(headers[step["headers"]], self.known)
        if "watch" in step:
            return self.line.watch(step["watch"], step["path"], sent)
        method, path = step["send"].split(" ", 1)
        return self.line.send(method, path, sent, _body(step))

    def _awaited(self, name: str, wanted: Any) -> Any:
        while list(differences(wanted, event := self.line.event(name))):
            pass
        return event


def complaints(step: Mapping[str, Any], reply: Reply) -> list[str]:
    """What is not as the step expects."""
    found_wrong = []
    if reply.status != step.get("status", 200):
        found_wrong.append(f"status {reply.status} instead of {step.get('status', 200)}: {reply.body}")
    if ("send" in step or "watch" in step) and reply.kind != step.get("kind", "application/json"):
        found_wrong.append(f"Content-Type {reply.kind!r}")
    return [*found_wrong, *(differences(step["has"], reply.body) if "has" in step else ())]


def _body(step: Mapping[str, Any]) -> bytes | None:
    if "protobuf" in step:
        told = step["protobuf"]
        return envelope(told["apiVersion"], told["kind"], encoded(told["fields"]))
    return json.dumps(step["body"], separators=(",", ":")).encode() if "body" in step else None


def encoded(fields: Mapping[int, Any]) -> bytes:
    """A protobuf message, field by field in the order given."""
    data = b""
    for number, value in fields.items():
        for item in value if isinstance(value, list) else [value]:
            data += encoded_field(number, _wire(item))
    return data


def _wire(value: Any) -> bytes | int:
    if isinstance(value, Mapping):
        return encoded(value)
    return value if isinstance(value, int) else str(value).encode()


def _kept(path: str, reply: Reply) -> Any:
    kind, _, name = path.partition(" ")
    return reply.headers.get(name) if kind == "header" else found(path, reply.body)
