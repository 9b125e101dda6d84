"""The command line of the operator: what it takes, and with which words it refuses to start (operator sheet §2.6, §4).

Go's flag package reads it: one or two dashes, `name=value` or `name value`, switches without a value are true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lab.apiserver.errors import ApiError
from lab.apiserver.selectors import EVERYTHING, Selector, parse_selector
from lab.controllers.answers import Answer, answer
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.tables import Tables

_TRUE, _FALSE = ("1", "t", "T", "true", "TRUE", "True"), ("0", "f", "F", "false", "FALSE", "False")
_SWITCHES = ("version", "metrics-secure", "leader-elect", "enable-http2", "zap-devel")
_TEXTS = (
    "metrics-bind-address", "health-probe-bind-address", "label-selector", "agent-namespaces", "certificate-namespace",
    "certificate-issuer-name", "kubeconfig", "zap-encoder", "zap-log-level", "zap-stacktrace-level",
    "zap-time-encoding",
)  # fmt: skip
CONCURRENCY, TRAIT_CONCURRENCY = "eviction-concurrency", "eviction-trait-concurrency"
_NUMBER = re.compile(r"[+-]?[0-9]+")
_NON_EMPTY = {
    "certificate-issuer-name": ("certificate-issuer-name cannot be empty", "invalid certificate issuer name"),
    "certificate-namespace": ("certificate-namespace cannot be empty", "invalid certificate namespace"),
}


class StartError(Exception):
    """The process ends at once, with this exit code. `words`: what it writes before that, as text why it ends."""

    def __init__(self, why: str, code: int = 1, words: str | None = None) -> None:
        super().__init__(why)
        self.code = code
        self.words = why if words is None else words


@dataclass(frozen=True, slots=True)
class Flags:
    """What matters of the command line to the simulated controllers."""

    leader_elect: bool = False
    selector: Selector = EVERYTHING
    concurrency: int = 1
    by_trait: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Given:
    """A command line as it was read."""

    values: Mapping[str, str]

    @property
    def namespaces(self) -> list[str]:
        """Namespaces of agent pods."""
        return [name.strip() for name in self.values.get("agent-namespaces", "").split(",") if name.strip()]

    @property
    def concurrency(self) -> int:
        """The default limit."""
        return int(self.values.get(CONCURRENCY, "1"), 0)

    @property
    def entries(self) -> list[str]:
        """The entries of the limits by trait, blanks around them gone, empty ones left out."""
        return [entry.strip() for entry in self.values.get(TRAIT_CONCURRENCY, "").split(",") if entry.strip()]

    @property
    def wrong_entry(self) -> str:
        """The first entry that is not TRAIT=N with N >= 1, "" when there is none."""
        return next((entry for entry in self.entries if not _limits((entry,))), "")

    @property
    def emptied(self) -> str:
        """A flag that may not be empty, and is."""
        return next((name for name in _NON_EMPTY if self.values.get(name) == ""), "")


def _refused(error: str, context: str) -> str:
    return f'ERROR\tsetup\t{context}\t{{"error": "{error}"}}'


START: Table[Given] = Table(
    "operator-start",
    (
        Row(
            "no agent namespaces",
            lambda given: not given.namespaces,
            lambda _: (Answer(_refused("--agent-namespaces is required", "invalid configuration")),),
        ),
        Row(
            "limit too low",
            lambda given: given.concurrency < 1,
            lambda _: (Answer(_refused("--eviction-concurrency must be >= 1", "invalid configuration")),),
        ),
        Row(
            "bad limit of a trait",
            lambda given: bool(given.wrong_entry),
            lambda given: (
                Answer(
                    _refused(
                        f"invalid --eviction-trait-concurrency entry: {given.wrong_entry}", "invalid configuration"
                    )
                ),
            ),
        ),
        Row(
            "empty certificate flag",
            lambda given: bool(given.emptied),
            lambda given: (Answer(_refused(*_NON_EMPTY[given.emptied])),),
        ),
        Row("starts", lambda _: True, lambda _: (Answer(""),)),
    ),
)
"""Answers why the process ends at once, "" when it starts."""
LAST_WORDS: Table[str] = Table(
    "operator-last-words", (Row("before there is a log", lambda _: True, lambda _: (Answer(""),)),)
)
"""Answers what it writes of that. Wart: flags are looked at before the log is set up, so every word is lost."""


def read(arguments: Iterable[str], tables: Tables, *, parallel: bool) -> Flags:
    """Read a command line; raises StartError. parallel: whether the program has the concurrency flags at all."""
    given = Given(dict(_parsed(list(arguments), parallel)))
    refusal = answer(tables.of(START), given)
    if refusal:
        raise StartError(refusal, words=answer(tables.of(LAST_WORDS), refusal))
    return Flags(
        leader_elect=given.values.get("leader-elect", "false") in _TRUE,
        selector=_selector(given.values.get("label-selector", "")),
        concurrency=given.concurrency,
        by_trait=_limits(given.entries),
    )


def _selector(text: str) -> Selector:
    try:
        return parse_selector(HYPERVISOR, text)
    except ApiError as error:
        raise StartError(_refused(str(error), "unable to parse label selector")) from error


def _parsed(arguments: list[str], parallel: bool) -> Iterator[tuple[str, str]]:
    while arguments:
        word = arguments.pop(0)
        if len(word) < 2 or not word.startswith("-") or word == "--":
            return
        name, equals, text = word.lstrip("-").partition("=")
        known = name in _SWITCHES or name in _TEXTS or (parallel and name in (CONCURRENCY, TRAIT_CONCURRENCY))
        if not known:
            raise StartError(f"flag provided but not defined: -{name}\nUsage of /manager:", 2)
        if name in _SWITCHES:
            yield name, _switch(name, text if equals else "true")
        elif equals or arguments:
            yield name, _checked(name, text if equals else arguments.pop(0))
        else:
            raise StartError(f"flag needs an argument: -{name}\nUsage of /manager:", 2)


def _switch(name: str, text: str) -> str:
    if text not in _TRUE and text not in _FALSE:
        raise StartError(f'invalid boolean value "{text}" for -{name}: parse error\nUsage of /manager:', 2)
    return text


def _checked(name: str, text: str) -> str:
    if name == CONCURRENCY:
        try:
            int(text, 0)
        except ValueError:
            raise StartError(f'invalid value "{text}" for flag -{name}: parse error\nUsage of /manager:', 2) from None
    return text


def _limits(entries: Iterable[str]) -> dict[str, int]:
    """Limits by trait; a trait that is given twice has its last one. Entries that are wrong are left out."""
    found = {}
    for entry in entries:
        trait, _, text = entry.partition("=")
        text = text.strip()
        if trait.strip() and _NUMBER.fullmatch(text) and int(text) >= 1:
            found[trait.strip()] = int(text)
    return found
