"""The handed cases: the expected findings are found, and nothing else that is not tolerated."""

from collections import Counter

import pytest
import yaml

from unittests.stp.reading import CASES
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import load_plan
from utilities.stp.rules import Subject

FILES = sorted(CASES.glob("*.md"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_case(path):
    plan = load_plan(path)
    case = yaml.safe_load(plan.source.comments[0].text)
    assert case["case"] == path.stem
    plain = subject_of(plan, fragment=case["mode"] == "fragment")
    subject = Subject(plain.plan, plain.fragment, child=case.get("role") == "child")

    findings = lint(subject)

    expected = Counter((each["id"], each["line"]) for each in case["expect"])
    found = Counter((finding.id, finding.line) for finding in findings)
    tolerated = set(case["tolerate"])
    surplus = {key: count for key, count in (found - expected).items() if key[0] not in tolerated}
    missing = expected - found
    assert (surplus, dict(missing)) == ({}, {}), "\n".join(map(str, findings))
