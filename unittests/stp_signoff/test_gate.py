"""The gate: what makes a plan ready, ready with exceptions, not ready.  Source: sheet §7."""

import pytest

from unittests.stp_signoff.building import (
    TESTS,
    approvals,
    case,
    environment,
    green,
    plan_text,
    reasons,
    result,
    verdict,
    write_run,
)
from utilities.stp.signoff.dossier import Phase
from utilities.stp.signoff.gate import Readiness, Weight, judge
from utilities.stp.traceability import Claim

BLOCKED = ("broken", "utilities.errors.Blocked: site lab lacks passthrough 1 (offers 0)")
BAD = {
    "failed": ("failed", "AssertionError: gap 61 s"),
    "broken": ("broken", "utilities.errors.WaitTimeout: 300 s passed"),
    "blocked": BLOCKED,
    "inconclusive": ("broken", "utilities.errors.NotEnoughEvidence: the watch has a gap"),
    "quarantined": ("skipped", "XFAIL [NOTRUN] quarantined: why, CNV-00071\n\n_pytest.outcomes.XFailed: x"),
    "not run": ("skipped", "Skipped: just so"),
}
AGREED = "agreements: [{scenario: GROW-03, issue: CNV-00070, name: PM One, date: 2031-03-04}]"


def with_outcome(scenario, outcome):
    """Green results, but for one scenario."""
    status, message = BAD[outcome]
    bad = result(TESTS[scenario], scenario, status=status, message=message)
    return [bad if each["labels"][0]["value"] == scenario else each for each in green()]


@pytest.mark.parametrize("outcome", BAD)
def test_p0_has_to_pass(tmp_path, outcome):
    found = verdict(write_run(tmp_path, with_outcome("GROW-01", outcome)))
    assert found.readiness is Readiness.NOT_READY
    assert f"P0 {outcome}: GROW-01" in reasons(found)


def test_no_agreement_lets_a_p0_through(tmp_path):
    agreed = approvals(AGREED.replace("GROW-03", "GROW-01"))
    found = verdict(write_run(tmp_path, with_outcome("GROW-01", "failed")), agreed=agreed)
    assert "P0 failed: GROW-01" in reasons(found)


def test_p0_that_is_only_described(tmp_path):
    claims = [Claim(TESTS["GROW-01"], ("GROW-01",), implemented=False)]
    assert "P0 designed: GROW-01" in reasons(verdict(write_run(tmp_path, green()[1:]), claims=claims))


def test_passing_by_its_side_does_not_help_a_test_that_is_only_described(tmp_path):
    claims = [Claim("tests/x/test_y.py::test_z", ("GROW-01",), implemented=False)]
    assert "P0 designed: GROW-01" in reasons(verdict(write_run(tmp_path, green()), claims=claims))


@pytest.mark.parametrize("outcome", BAD)
def test_p1_has_to_pass_or_to_be_agreed(tmp_path, outcome):
    run = write_run(tmp_path, with_outcome("GROW-03", outcome))
    assert f"P1 {outcome} without agreement: GROW-03" in reasons(verdict(run))
    found = verdict(run, agreed=approvals(AGREED))
    assert found.readiness is Readiness.EXCEPTIONS, reasons(found)
    assert found.exceptions == (f"P1 GROW-03 {outcome}: CNV-00070, agreed by PM One, 2031-03-04",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("issue: CNV-00070, ", ""),
        ("CNV-00070", "later"),
        ("name: PM One, ", ""),
        ("PM One", "'[Name]'"),
        ("PM One", "TBD"),
        (", date: 2031-03-04", ""),
        ("2031-03-04", "soon"),
        ("GROW-03", "GROW-04"),
    ],
)
def test_half_an_agreement_is_none(tmp_path, old, new):
    agreed = approvals(AGREED.replace(old, new))
    found = verdict(write_run(tmp_path, with_outcome("GROW-03", "failed")), agreed=agreed)
    assert "P1 failed without agreement: GROW-03" in reasons(found)


@pytest.mark.parametrize("outcome", BAD)
def test_p2_never_counts(tmp_path, outcome):
    found = verdict(write_run(tmp_path, with_outcome("GROW-04", outcome)))
    assert found.readiness is Readiness.READY, reasons(found)
    assert not found.exceptions


def test_a_scenario_without_priority_counts_as_p0(tmp_path):
    text = plan_text().replace("user who asked for it\n  - *Priority:* P2", "user who asked for it")
    run = write_run(tmp_path, green()[:3], facts=environment(text))
    assert "P0 not run: GROW-04" in reasons(verdict(run, text=text))


@pytest.mark.parametrize(
    ("priority", "expected"), [("P0", Readiness.EXCEPTIONS), ("P1", Readiness.EXCEPTIONS), ("P2", Readiness.READY)]
)
def test_excluded_by_agreement(tmp_path, priority, expected):
    text = plan_text(excluded=priority)
    found = verdict(write_run(tmp_path, green(), facts=environment(text)), text=text)
    assert found.readiness is expected, reasons(found)


@pytest.mark.parametrize("priority", ["P0", "P1", "P2"])
def test_excluded_without_agreement(tmp_path, priority):
    text = plan_text(excluded=priority, who="[Name / date]")
    run = write_run(tmp_path, green(), facts=environment(text))
    found = verdict(run, text=text)
    assert "Unsigned exclusions of scenarios: 1" in reasons(found)
    assert ("excluded without agreement: GROW-05" in reasons(found)) is (priority != "P2")
    agreed = approvals(AGREED.replace("GROW-03", "GROW-05"))
    assert verdict(run, text=text, agreed=agreed).readiness is not Readiness.NOT_READY


def test_an_excluded_scenario_that_was_run_is_judged_by_its_result(tmp_path):
    text = plan_text(excluded="P0")
    failed = result("tests/memory_hotplug/test_windows.py::test_it", "GROW-05", status="failed")
    found = verdict(write_run(tmp_path, [*green(), failed], facts=environment(text)), text=text)
    assert "P0 failed: GROW-05" in reasons(found)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "not supported**\n  - *Sign-off:* Product Manager One / 2031-03-04",
            "not supported**",
            "known limitations: 1",
        ),
        (
            "*PM/Lead Agreement:* Product Manager One / 2031-03-04",
            "*PM/Lead Agreement:* [Name/Date]",
            "out of scope: 1",
        ),
        ("*Sign-off:* QE Lead One / 2031-03-05", "*Sign-off:* QE Lead One", "Unsigned risks: 1"),
        ("CNV-00003\n\n#### **2.", "CNV-00003\n      - *PM/UX Agreement:* TBD\n\n#### **2.", "other signatures: 1"),
    ],
)
def test_everything_to_accept_is_signed(tmp_path, old, new, reason):
    text = plan_text()
    assert old in text
    text = text.replace(old, new, 1)
    found = verdict(write_run(tmp_path, green(), facts=environment(text)), text=text)
    assert found.readiness is Readiness.NOT_READY
    assert reason in reasons(found)
    assert Weight.FINDING not in {each.weight for each in found.reasons}, "told once, not twice"


def test_open_critical_finding(tmp_path):
    text = plan_text().replace("**[CNV-00006]**", "**[TBD]**")
    found = verdict(write_run(tmp_path, green(), facts=environment(text)), text=text)
    assert "Open CRITICAL finding requirement-id-tbd" in reasons(found)


def test_unproven_criterion(tmp_path):
    criterion = "    - An owner without quota is charged nothing for minutes before the raise\n"
    text = plan_text().replace(
        "  - *Note any gaps or missing criteria:*", f"{criterion}  - *Note any gaps or missing criteria:*"
    )
    found = verdict(write_run(tmp_path, green(), facts=environment(text)), text=text)
    assert "Acceptance criterion C3 is unproven: no scenario proves it" in reasons(found)


def test_criterion_that_names_its_scenarios(tmp_path):
    criterion = "    - **AC7:** Whoever raised is named, see GROW-04\n"
    text = plan_text().replace(
        "  - *Note any gaps or missing criteria:*", f"{criterion}  - *Note any gaps or missing criteria:*"
    )
    run = write_run(tmp_path, with_outcome("GROW-04", "failed"), facts=environment(text))
    assert "Acceptance criterion AC7 is unproven: nothing of GROW-04 passed" in reasons(verdict(run, text=text))
    (proof,) = [each for each in case([run], text=text).proofs if each.label == "AC7"]
    assert proof.named


def test_criterion_about_documentation_needs_its_review(tmp_path):
    criterion = "    - The sizing guide is documented and published\n"
    text = plan_text().replace(
        "  - *Note any gaps or missing criteria:*", f"{criterion}  - *Note any gaps or missing criteria:*"
    )
    run = write_run(tmp_path, green(), facts=environment(text))
    assert "criterion C3 is unproven" in reasons(verdict(run, text=text))
    agreed = approvals("documentation: {reviewed: 'https://docs.example.com/1'}")
    assert verdict(run, text=text, agreed=agreed).readiness is Readiness.READY


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"OpenShift": None}, "OCP"),
        ({"OpenShift": "none"}, "OCP"),
        ({"HyperConverged": ""}, "OpenShift Virtualization"),
        ({"HyperConverged": "unknown", "OpenShift": "-"}, "OCP and of OpenShift Virtualization"),
    ],
)
def test_versions_of_both_products(tmp_path, changes, missing):
    found = verdict(write_run(tmp_path, green(), facts=environment(**changes)))
    assert f"no version of {missing} recorded" in reasons(found)


def test_ga_needs_merged_automation(tmp_path):
    run = write_run(tmp_path, green())
    assert "needs merged automation" in reasons(verdict(run, phase=Phase.GA))
    merged = approvals("automation: {merged: 'https://git.example.com/1'}")
    assert verdict(run, phase=Phase.GA, agreed=merged).readiness is Readiness.READY


def test_a_phase_that_the_plan_does_not_cover(tmp_path):
    found = verdict(write_run(tmp_path, green()), phase=Phase.DP)
    assert "The plan gives no version for Dev Preview (DP)" in reasons(found)


LAB = {"Target": "embedded lab", "Target_kind": "lab", "OpenShift": "none"}


@pytest.mark.parametrize("facts", [LAB, {**LAB, "Target_kind": None}])
def test_the_lab_never_signs_off_by_itself(tmp_path, facts):
    run = write_run(tmp_path, green(), facts=environment(**facts))
    found = verdict(run)
    assert found.readiness is Readiness.NOT_READY
    assert "embedded lab never sign off" in reasons(found)
    allowed = verdict(run, allow_lab=True)
    assert allowed.readiness is Readiness.READY, reasons(allowed)
    assert allowed.lab_only
    assert "lab only, this signs off no release" in allowed.line


def test_lab_results_among_others_mark_the_verdict(tmp_path):
    lab = write_run(tmp_path / "lab", green(), facts=environment(**LAB))
    cluster = write_run(tmp_path / "cluster", green())
    assert "embedded lab" in reasons(verdict(lab, cluster))
    assert verdict(lab, cluster, allow_lab=True).lab_only
    assert not verdict(cluster, allow_lab=True).lab_only


def test_a_target_that_nobody_recorded_is_no_cluster(tmp_path):
    run = write_run(tmp_path, green(), facts=environment(Target=None, Target_kind=None))
    assert "does not say what it ran on" in reasons(verdict(run))
    assert verdict(run, allow_lab=True).lab_only


def test_a_rejection_is_heard(tmp_path):
    said = "approvals: [{role: QE Lead, name: Lead One, date: 2031-03-04, decision: rejected}]"
    found = verdict(write_run(tmp_path, green()), agreed=approvals(said))
    assert "Rejected by Lead One (QE Lead), 2031-03-04" in reasons(found)


def test_reasons_come_by_weight(tmp_path):
    run = write_run(tmp_path, green()[1:2], facts="")
    weights = [reason.weight for reason in judge(case([run], phase=Phase.GA)).reasons]
    assert weights == sorted(weights)
    assert {Weight.REVISION, Weight.LAB, Weight.P0, Weight.P1, Weight.VERSIONS, Weight.AUTOMATION} <= set(weights)
