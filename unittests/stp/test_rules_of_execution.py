"""Environment, risks, scenarios and approval: every rule once broken and once kept."""

import pytest

from unittests.stp.sections import (
    CLEAN,
    RISK,
    SIGNED,
    changed,
    environment,
    ids,
    people,
    risks,
    scenario,
)

PAIRS = [
    ("env-field-missing", environment("**Storage:** ceph"), "### Other\n"),
    ("env-field-empty", environment("**Compute Resources:**"), environment("**Compute Resources:** N/A")),
    (
        "versions-conflated",
        environment("**OCP & OpenShift Virtualization Version(s):** OCP/OpenShift Virtualization 5.2"),
        environment("**OCP & OpenShift Virtualization Version(s):** OCP 4.30 (and up) with CNV 4.30 and later"),
    ),
    (
        "versions-conflated",
        environment("**OCP & OpenShift Virtualization Version(s):** v4.30"),
        environment(
            "**OCP & OpenShift Virtualization Version(s):**\n  - OCP: 4.30\n  - OpenShift Virtualization: N/A, not used"
        ),
    ),
    (
        "storage-class-generic",
        environment("**Storage:** Any RWX class"),
        environment("**Storage:** ocs-storagecluster-ceph-rbd"),
    ),
    ("platform-generic", environment("**Platform:** Any"), environment("**Platform:** Bare metal")),
    (
        "standard-tool-listed",
        "#### **3.1. Testing Tools & Frameworks**\n\n- **Test Framework:** pytest\n",
        "#### **3.1. Testing Tools & Frameworks**\n\n- **Test Framework:** Standard\n",
    ),
    (
        "tools-field-missing",
        "#### **3.1. Testing Tools & Frameworks**\n\n- **Test Framework:** Standard\n",
        "#### **3.1. Testing Tools & Frameworks**\n\n- **Test Framework:** x\n- **CI/CD:** x\n- **Other Tools:** N/A\n",
    ),
    (
        "entry-criteria-minimum",
        "#### **4. Entry Criteria**\n\n- [ ] A build exists\n",
        "#### **4. Entry Criteria**\n\n- [ ] Requirements are approved\n- [ ] Test environment can be configured\n",
    ),
    ("risk-category-missing", risks("**Other**"), "### Other\n"),
    (
        "risk-field-missing",
        risks("**Test Coverage**\n\n- **Risk:** a gap\n  - **Mitigation:** run it by hand"),
        risks(RISK.format("a gap", "run it by hand", SIGNED)),
    ),
    ("risk-field-missing", risks(RISK.format("a gap", "N/A", SIGNED)), risks("**Test Coverage**\n\n- **Risk:** None")),
    (
        "risk-no-signoff",
        risks("**Test Coverage**\n\n- **Risk:** a gap"),
        risks(RISK.format("a gap", "do x", "[Name/Date]")),
    ),
    (
        "no-risk-unjustified",
        risks("**Test Coverage**\n\n- **Risk:** No known risks.\n  - **Mitigation:** N/A"),
        risks(
            "**Test Coverage**\n\n- **Risk:** No risk identified — all is seen in the guest\n  - **Mitigation:** N/A"
        ),
    ),
    (
        "no-risk-unjustified",
        risks("**Dependencies**\n\n- **Risk:** N/A"),
        risks("**Dependencies**\n\n- **Risk:** No external teams involved"),
    ),
    (
        "all-risks-none",
        changed("- **Risk:** The guest image with memory devices reached the lab two weeks late.", "- **Risk:** None"),
        CLEAN,
    ),
    (
        "mitigation-vague",
        risks(RISK.format("a gap", "We will address it", SIGNED)),
        risks(RISK.format("a gap", "Book both nodes", SIGNED)),
    ),
    ("risk-other-empty", risks("**Other**\n\n- **Risk:** None"), risks("**Other**\n\n- **Risk:** a law")),
    (
        "scenario-no-requirement-id",
        scenario("[Tier 2] Verify x", head="- As a user, I want x so that y."),
        scenario("[Tier 2] Verify x"),
    ),
    (
        "requirement-id-tbd",
        scenario("[Tier 2] Verify x", head="- **[Jira-xyz]** — As a user, I want x."),
        scenario("[Tier 2] Verify x", head="- **[CNV-00042 (epic)](https://x.example)** — As a user, I want x."),
    ),
    ("scenario-missing", scenario("", rest="  - *Tier:* 2\n"), scenario("[Tier 2] Verify x")),
    ("scenario-no-tier", scenario("Verify x"), scenario("Verify x", rest="  - *Tier:* 2\n  - *Priority:* P1\n")),
    ("scenario-no-priority", scenario("[Tier 2] Verify x", rest=""), scenario("[Tier 2] Verify x")),
    ("scenario-no-priority", scenario("[Tier 2] Verify x", rest="  - *Priority:* P3\n"), scenario("[Tier 2] Verify x")),
    ("scenario-tier-spelling", scenario("[tier2] Verify x"), scenario("Verify x", rest="  - *Tier:* 2\n")),
    ("scenario-tier-spelling", scenario("Verify x", rest="  - *Test Tier:* Tier 2\n"), scenario("[Tier 3] Verify x")),
    (
        "requirement-not-user-story",
        scenario("[Tier 2] Verify x", head="- **[CNV-1]** — Clone speed"),
        scenario("[Tier 2] Verify x", head="- **[CNV-1]** — As a VM owner, I can clone"),
    ),
    ("scenario-bundled", scenario("[Tier 2] Verify x; verify y"), scenario("[Tier 2] Verify x and its reason")),
    (
        "scenario-regression",
        scenario("[Tier 2] Run the existing tests"),
        scenario("[Tier 2] Verify an old function with new data"),
    ),
    ("tier-misclassified", scenario("[Tier 1] Verify the upgrade"), scenario("[Tier 2] Verify the upgrade")),
    ("tier-misclassified", scenario("[Tier 2] Verify a Windows guest"), scenario("[Tier 3] Verify a Windows guest")),
    ("signatories-missing", "### **IV. Sign-off and Approval**\n\n* **Reviewers:**\n", people("  - A One (@one)")),
    (
        "approver-role-missing",
        people("  - A One (@one)", "  - QE Lead: A One (@one)\n  - PM: A Two (@two)"),
        people(
            "  - A One (@one)",
            "  - QE Manager: Ann (@a)\n  - Product Manager/Owner: Bob (@b)\n  - Principal Developer: Cis (@c)",
        ),
    ),
    ("signatory-no-name", people("  - QE: @x"), people("  - QE: Name (@x)")),
    ("signatory-no-name", people("  - x / @x"), people("  - Name / @x")),
    ("signatory-no-handle", people("  - Name One"), people("  - [Name One] (@one)")),
]


@pytest.mark.parametrize(("name", "bad", "good"), PAIRS, ids=[each[0] for each in PAIRS])
def test_rule(name, bad, good):
    assert name in ids(bad, fragment=True)
    assert name not in ids(good, fragment=True)
