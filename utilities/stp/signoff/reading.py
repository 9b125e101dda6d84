"""Folders of results to runs.  Whatever a file holds, a Run comes out; its troubles say what is wrong with it."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from utilities.stp.errors import StpError
from utilities.stp.signoff import names
from utilities.stp.signoff.facts import Facts, facts_in
from utilities.stp.signoff.ledger import read_ledger
from utilities.stp.signoff.outcome import Outcome
from utilities.stp.signoff.results import Attempt, Entry, Evidence, Link, Run, parameters_of

_BLOCKED = re.compile(r"\bBlocked\b|\bblocked:")
_INCONCLUSIVE = re.compile(r"\bNotEnoughEvidence\b")
_QUARANTINED = re.compile(rf"^X(?:FAIL|PASS)\b|\b{names.QUARANTINED}\b", re.IGNORECASE)
_STATUSES = {"passed": Outcome.PASSED, "failed": Outcome.FAILED, "skipped": Outcome.NOT_RUN}
_ADDRESS = re.compile(r"https?://\S+")


def _nothing_for_null(value: object) -> object:
    return "" if value is None else value


_Words = Annotated[str, BeforeValidator(_nothing_for_null)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Label(_Part):
    name: _Words = ""
    value: _Words = ""


class _Details(_Part):
    message: _Words = ""


class _Attachment(_Part):
    name: _Words = ""
    source: _Words = ""


class _Link(_Part):
    type: _Words = ""
    name: _Words = ""
    url: _Words = ""


class _Parameter(_Part):
    name: _Words = ""
    value: _Words = ""
    excluded: bool | None = None


class _Step(_Part):
    attachments: tuple[_Attachment, ...] = ()
    steps: tuple["_Step", ...] = ()

    def everything(self) -> Iterator[_Attachment]:
        """What was attached here and in the steps below."""
        yield from self.attachments
        for step in self.steps:
            yield from step.everything()


class _Result(_Step):
    """The part of an Allure result (`allure_commons.model2.TestResult`) that is of interest here."""

    name: str
    fullName: str  # noqa: N815 -- the spelling of the file
    status: str
    statusDetails: _Details = _Details()  # noqa: N815
    start: int = 0
    stop: int = 0
    labels: tuple[_Label, ...] = ()
    links: tuple[_Link, ...] = ()
    parameters: tuple[_Parameter, ...] = ()
    titlePath: tuple[str, ...] = ()  # noqa: N815

    def values(self, name: str) -> tuple[str, ...]:
        """The values of one label, once each."""
        return tuple(dict.fromkeys(label.value for label in self.labels if label.name == name))


def read_runs(folders: Iterable[Path]) -> tuple[Run, ...]:
    """The runs in these folders, one each; a folder named twice counts once.  Raises StpError when one is none."""
    distinct = {folder.resolve(): folder for folder in folders}
    return tuple(read_run(folder) for folder in distinct.values())


def read_run(folder: Path) -> Run:
    """The run in a results folder, or in the Allure folder inside it.  Raises StpError when there is no such folder."""
    if not folder.is_dir():
        raise StpError(f"{folder}: no such folder", next_step="name a folder that a run wrote (pytest --results DIR)")
    allure = folder / names.ALLURE if (folder / names.ALLURE).is_dir() else folder
    home = allure.parent if allure.name == names.ALLURE else folder
    reader = _Reader()
    attempts = tuple(reader.attempts(allure))
    facts = reader.facts(allure / names.ENVIRONMENT)
    ledger = reader.ledger(home / names.LEDGER)
    if not attempts and not reader.troubles:
        reader.troubles.extend(_where_else(folder))
    return Run(folder, facts, attempts, ledger, tuple(reader.troubles), reader.digest())


def _where_else(folder: Path) -> Iterator[str]:
    """Subfolders that hold what the folder itself lacks."""
    others = sorted({path.parent.relative_to(folder).as_posix() for path in folder.glob(f"*/**/{names.RESULTS}")})
    if others:
        yield f"{folder}: holds no result itself, its subfolders do: {', '.join(others[:5])}"


class _Reader:
    """Reads the files of one run and remembers what was read and what was wrong."""

    def __init__(self) -> None:
        self.troubles: list[str] = []
        self._read: list[tuple[str, str]] = []

    def digest(self) -> str:
        """SHA-256 of names and contents of results, evidence, environment and list."""
        return hashlib.sha256(repr(sorted(self._read)).encode()).hexdigest()

    def attempts(self, folder: Path) -> Iterator[Attempt]:
        """The results in a folder; a result that was not written to its end is a trouble."""
        for path in sorted(folder.glob(names.RESULTS)):
            raw = self._bytes(path)
            if raw is None:
                continue
            try:
                result = _Result.model_validate_json(raw)
            except ValidationError as error:
                self.troubles.append(f"{path}: {_first_fault(error)}")
                continue
            attempt = _attempt(result, path)
            for piece in attempt.evidence:
                self._note(piece.path)
            yield attempt
        self.troubles += (f"{path}: a result that was not finished" for path in sorted(folder.glob(names.UNFINISHED)))

    def facts(self, path: Path) -> Facts:
        """The environment of the run; empty when it has none."""
        raw = self._bytes(path) if path.is_file() else None
        if raw is None:
            return Facts()
        try:
            return facts_in(raw.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            self.troubles.append(f"{path}: byte {error.start} is not UTF-8")
            return Facts()

    def ledger(self, path: Path) -> tuple[Entry, ...] | None:
        """The run's own list of what ran."""
        raw = self._bytes(path) if path.is_file() else None
        if raw is None:
            return None
        try:
            return read_ledger(raw)
        except ValidationError as error:
            self.troubles.append(f"{path}: {_first_fault(error)}")
            return None

    def _note(self, path: Path | None) -> None:
        """Evidence is part of what was judged, however large it is."""
        if path is not None:
            try:
                with path.open("rb") as file:
                    self._read.append((path.name, hashlib.file_digest(file, "sha256").hexdigest()))
            except OSError as error:
                self.troubles.append(f"{path}: cannot read: {error.strerror or error}")

    def _bytes(self, path: Path) -> bytes | None:
        try:
            raw = path.read_bytes()
        except OSError as error:
            self.troubles.append(f"{path}: cannot read: {error.strerror or error}")
            return None
        self._read.append((path.name, hashlib.sha256(raw).hexdigest()))
        return raw


def _first_fault(error: ValidationError) -> str:
    """The first thing that is wrong with a file, in words."""
    fault = error.errors(include_url=False)[0]
    if fault["type"] == "json_invalid":
        return f"no whole JSON: {fault['ctx']['error']}"
    return f"{'.'.join(str(part) for part in fault['loc']) or 'content'}: {fault['msg'].lower()}"


def _attempt(result: _Result, path: Path) -> Attempt:
    function = result.fullName.rpartition("#")[2]
    values = [each.value for each in result.parameters if not each.excluded]
    written = f"[{'-'.join(value.strip(chr(39)) for value in values)}]" if values else ""
    same = parameters_of(result.name) if result.name.partition("[")[0] == function else written
    return Attempt(
        test=_node(result, function, same),
        key=f"{result.fullName}{same}",
        scenarios=result.values(names.SCENARIO),
        features=result.values(names.FEATURE),
        tags=result.values(names.TAG),
        severity=next(iter(result.values(names.SEVERITY)), ""),
        outcome=_outcome(result),
        message=result.statusDetails.message.strip(),
        started=result.start,
        ended=result.stop,
        evidence=tuple(_evidence(each, path.parent) for each in result.everything()),
        figures=tuple((each.name, each.value.strip("'")) for each in result.parameters if each.excluded),
        links=tuple(_link(each) for each in result.links),
        file=path,
    )


def _node(result: _Result, function: str, parameters: str) -> str:
    """The node id; the full name where the title path does not lead to a file."""
    files = [number for number, part in enumerate(result.titlePath) if part.endswith(".py")]
    if not files or not function:
        return f"{result.fullName}{parameters}"
    path = "/".join(result.titlePath[: files[0] + 1])
    return "::".join([path, *result.titlePath[files[0] + 1 :], function]) + parameters


def _outcome(result: _Result) -> Outcome:
    """The outcome behind a status; see sheet §4.2 for quarantine."""
    message = result.statusDetails.message.strip().partition("\n")[0]
    quarantined = _QUARANTINED.search(message) is not None or names.QUARANTINED in result.values(names.TAG)
    if result.status in ("passed", "skipped") and quarantined:
        return Outcome.QUARANTINED
    if result.status in ("broken", "skipped") and _BLOCKED.search(message):
        return Outcome.BLOCKED
    if result.status == "broken" and _INCONCLUSIVE.search(message):
        return Outcome.INCONCLUSIVE
    return _STATUSES.get(result.status, Outcome.BROKEN)


def _evidence(attachment: _Attachment, folder: Path) -> Evidence:
    """An attachment lies beside its result; a source that points elsewhere is not followed."""
    path = folder / Path(attachment.source).name if attachment.source else None
    return Evidence(attachment.name or "evidence", path if path is not None and path.is_file() else None)


def _link(link: _Link) -> Link:
    return Link(link.type, link.name or link.url, link.url if _ADDRESS.fullmatch(link.url) else "")
