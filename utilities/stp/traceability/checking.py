"""Everything that `stp trace` finds: plans against tests, descriptions against source, silences applied.

A finding in a plan is silenced as the linter's are.  One in a test is silenced by `# stp-lint: <id> - reason` in the
test (from the line above its decorators to its end); such a comment outside any test counts for the whole file.
What stops a run cannot be silenced: an exclusion in the plan is the way for that.
"""

import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from utilities.stp.finding import Finding
from utilities.stp.plan import Plan
from utilities.stp.silencing import SILENCE_RULES, Silence, about_tests, silence_of, silenced, silences_in
from utilities.stp.traceability.cases import Case, cases_in, read_python, shown, test_files
from utilities.stp.traceability.claims import Claim, claims_of
from utilities.stp.traceability.collection import STOPS_COLLECTION
from utilities.stp.traceability.fixtures import Fixtures
from utilities.stp.traceability.registered import registered_marks
from utilities.stp.traceability.std import RULES, Described
from utilities.stp.traceability.tracing import trace


@dataclass(frozen=True, slots=True)
class Checked:
    """The claims of the tests, what is wrong between them and the plans, and what a comment silences."""

    claims: tuple[Claim, ...]
    findings: tuple[Finding, ...]
    silenced: tuple[tuple[Finding, Silence], ...]


def check(plans: Sequence[Plan], paths: Iterable[Path], root: Path) -> Checked:
    """Hold plans and the test files below `paths` against each other.

    Raises StpError when a file cannot be read or is no Python.
    """
    cases: list[Case] = []
    silences = {str(plan.path): [each for each in silences_in(plan.source) if about_tests(each.id)] for plan in plans}
    for path in paths:
        for file in test_files(path):
            text, name = read_python(file, root), shown(file, root)
            mine = cases_in(text, name)
            cases += mine
            silences[name] = list(silences_in_tests(text, mine))
    claims = claims_of(cases, Fixtures(root))
    registered = registered_marks(root)
    found = [*trace(plans, claims)]
    for case in cases:
        described = Described(case, tuple(plans), registered)
        found += (finding for rule in RULES for finding in rule.findings(described, case.path))
    return _applied(claims, found, silences)


def silences_in_tests(text: str, cases: Sequence[Case]) -> Iterator[Silence]:
    """The silencing comments of a test file that was parsed before."""
    everywhere = frozenset(range(1, text.count("\n") + 2))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            inside = next((case for case in cases if case.first - 1 <= line <= case.last), None)
            lines = frozenset(range(inside.first, inside.last + 1)) if inside else everywhere
            silence = silence_of(token.string.lstrip("# "), line, lines)
            if silence is not None:
                yield silence


def _applied(claims: tuple[Claim, ...], found: Iterable[Finding], silences: Mapping[str, Sequence[Silence]]) -> Checked:
    kept: set[Finding] = set()
    quiet: dict[Finding, Silence] = {}
    for finding in found:
        silence = silenced(silences.get(finding.path, ()), finding.id, finding.line)
        if silence is None or finding.open or finding.id in STOPS_COLLECTION:
            kept.add(finding)
        else:
            quiet[finding] = silence
    used = set(quiet.values())
    for path, written in silences.items():
        idle = [each for each in written if each not in used]
        kept.update(finding for rule in SILENCE_RULES for each in idle for finding in rule.findings(each, path))
    in_order = sorted(kept, key=lambda finding: finding.place)
    return Checked(claims, tuple(in_order), tuple(sorted(quiet.items(), key=lambda pair: pair[0].place)))
