"""What a test says about itself."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from utilities.stp.traceability.cases import Case, read_cases
from utilities.stp.traceability.fixtures import Fixtures
from utilities.stp.traceability.marks import ParameterSet, is_quarantine, scenario_ids, tiers


@dataclass(frozen=True, slots=True)
class Claim:
    """One test, or one parameter set of it.

    test_id: `path::Class::function[parameters]`; scenario_ids: the scenarios it claims to prove;
    plan_path: the plan link of its docstrings as written; tiers: tier marks written by hand;
    negative: its description begins with [NEGATIVE]; implemented: has a body and is collected;
    severity: a hand-written Allure severity; description: what stands before the sections of its docstring;
    parameters: ids and values of its parameter sets that do not stand in its id, None when some are computed;
    quarantined: it is kept from running until an issue is solved.
    """

    test_id: str
    scenario_ids: tuple[str, ...]
    plan_path: str | None = None
    tiers: tuple[str, ...] = ()
    negative: bool = False
    implemented: bool = True
    severity: str | None = None
    description: str = ""
    path: str = ""
    line: int = 1
    parameters: tuple[str, ...] | None = ()
    quarantined: bool = False

    @property
    def function(self) -> str:
        """The test without its parameter set."""
        return self.test_id.partition("[")[0]

    @property
    def file(self) -> str:
        """The file it stands in."""
        return self.path or self.test_id.partition("::")[0]


def read_claims(paths: Iterable[Path], root: Path) -> tuple[Claim, ...]:
    """The claims of every test file in `paths` (files or folders), with paths relative to `root`.

    Raises StpError naming file and line when a file cannot be read or is no Python.
    """
    return claims_of(read_cases(paths, root), Fixtures(root))


def claims_of(cases: Iterable[Case], fixtures: Fixtures) -> tuple[Claim, ...]:
    """The claims of tests that were read: one a test, or one per parameter set with scenario marks of its own."""
    return tuple(claim for case in cases for claim in _claims(case, fixtures.parameters(case)))


def _claims(case: Case, inherited: tuple[str, ...] | None) -> Iterator[Claim]:
    claim = Claim(
        test_id=case.node,
        scenario_ids=scenario_ids(case.marks),
        plan_path=case.plan_path,
        tiers=tiers(case.marks),
        negative=case.own.negative,
        implemented=case.body and case.collected,
        severity=case.severity,
        description=case.own.text,
        path=case.path,
        line=case.line,
        parameters=_parameters(case, inherited),
        quarantined=any(is_quarantine(mark) for mark in case.marks),
    )
    unmarked = True
    for each in case.parameters:
        sets = each.sets or (ParameterSet(None, ()),)
        yield from (_of_set(claim, number, each) for number, each in enumerate(sets) if scenario_ids(each.marks))
        unmarked = unmarked and any(not scenario_ids(each.marks) for each in sets)
    if unmarked:
        yield claim


def _of_set(claim: Claim, number: int, each: ParameterSet) -> Claim:
    return replace(
        claim,
        test_id=f"{claim.test_id}[{_id(each, number)}]",
        scenario_ids=tuple(dict.fromkeys((*scenario_ids(each.marks), *claim.scenario_ids))),
        tiers=tuple(dict.fromkeys((*tiers(each.marks), *claim.tiers))),
        quarantined=claim.quarantined or any(is_quarantine(mark) for mark in each.marks),
    )


def _id(each: ParameterSet, number: int) -> str:
    """As pytest calls the set: its id, its plain values, else its number."""
    values = [value for value in each.values if value is not None and value[:1] not in ("[", "(", "{")]
    plain = "-".join(values) if len(values) == len(each.values) else ""
    return each.id or plain or str(number)


def _parameters(case: Case, inherited: tuple[str, ...] | None) -> tuple[str, ...] | None:
    told = list(inherited or ())
    known = inherited is not None
    for each in case.parameters:
        for one in each.sets or ():
            told += (value for value in (one.id, *one.values) if value is not None)
            known = known and (one.id is not None or None not in one.values)
        known = known and each.sets is not None
    return tuple(told) if known else None
