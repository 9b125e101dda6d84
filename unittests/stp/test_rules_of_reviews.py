"""Metadata and requirements review: every rule once broken and once kept."""

import pytest

from unittests.stp.sections import OLD_DESCRIPTION, checklist, criteria, design, ids, metadata, nfr, risks, strategy

PAIRS = [
    (
        "legacy-table-form",
        "### Metadata & Tracking\n\n| Field | Details |\n|--|--|\n| SIG | x |\n",
        metadata("**SIG:** x"),
    ),
    (
        "template-boilerplate-left",
        design(f"- [x] **Technology Challenges**\n  - *Challenges:* {OLD_DESCRIPTION}"),
        design("- [x] **Technology Challenges**\n  - *Challenges:* none, the guest reports it"),
    ),
    (
        "template-boilerplate-left",
        strategy("- [x] **Monitoring** — metrics\n  - *Details:* metrics"),
        strategy("- [x] **Monitoring** — metrics\n  - *Details:* no metrics needed"),
    ),
    (
        "checkbox-malformed",
        strategy("- [] **Monitoring** — m\n  - *Details:* no metrics"),
        strategy("- [X] **Monitoring** — m\n  - *Details:* two metrics"),
    ),
    (
        "checkbox-malformed",
        strategy("- **Monitoring** — m\n  - *Details:* no metrics"),
        risks("- [x] **Test Coverage**\n  - Risk: x"),
    ),
    ("metadata-field-missing", metadata("**Owning SIG:** x"), "### Other\n"),
    (
        "metadata-field-empty",
        metadata("**Epic Tracking:** -"),
        metadata("**Epic Tracking:** N/A - tracked under the feature"),
    ),
    ("metadata-field-empty", metadata("**Epic Tracking:** N/A"), metadata("**Epic Tracking:** CNV-1")),
    (
        "enhancement-not-design",
        metadata("**Enhancement(s):** [CNV-8](https://t.example/browse/CNV-8)"),
        metadata(
            "**Enhancement(s):** [CNV-8](https://t.example/browse/CNV-8) — no design document, change of a default"
        ),
    ),
    (
        "enhancement-not-design",
        metadata("**Enhancement(s):** https://github.com/x/code/pull/7 and CNV-9"),
        metadata("**Enhancement(s):** https://github.com/x/enhancements/pull/7"),
    ),
    ("tracking-no-link", metadata("**Feature Tracking:** see roadmap"), metadata("**Feature Tracking:** CNV-00122")),
    (
        "maturity-format",
        metadata("**Feature Maturity:**\n  - DP: N/A\n  - TP: soon\n  - GA: 5.1"),
        metadata("**Feature Maturity:**\n  - DP: N/A\n  - TP: v4.30 - first\n  - GA: 4.23/5.0"),
    ),
    ("maturity-format", metadata("**Target Release(s):** 4.30"), metadata("**Feature Maturity:**\n  - GA: 5.1")),
    (
        "maturity-format",
        metadata("**Feature Maturity:**\n  - TP: 5.1\n  - GA: N/A"),
        metadata("**Feature Maturity:** [version]"),
    ),
    (
        "qe-owner-no-contact",
        metadata("**QE Owner(s):** Owner One (@one), Owner Two"),
        metadata("**QE Owner(s):** Owner One (@one), Owner Two (two@x.example), [Owner Three](@three)"),
    ),
    (
        "standard-term-defined",
        f"{metadata('**SIG:** x')}\n**Document Conventions:**\n\n- PVC: a claim\n",
        f"{metadata('**SIG:** x')}\n**Document Conventions:**\n\n- UDN: a user-defined network\n",
    ),
    ("checklist-item-missing", checklist("- [x] **Testability**\n  - *Unclear:* None"), "### Other\n"),
    (
        "checkbox-unmarked",
        checklist("- [ ] **Testability**\n  - *Unclear:* None"),
        checklist("- [ ] **Testability**\n  - *Unclear:*"),
    ),
    (
        "checkbox-marked-empty",
        checklist("- [x] **Testability**\n  - *Unclear:*"),
        checklist("- [x] **Testability**\n  - all clear"),
    ),
    (
        "checklist-label-missing",
        design("- [x] **API Extensions**\n  - *New APIs:* None"),
        design("- [x] **API Extensions**\n  - *New APIs:* None\n  - *Impact on tests:* None"),
    ),
    (
        "checklist-na-unjustified",
        design("- [x] **API Extensions**\n  - *New APIs:* N/A\n  - *Impact:* None."),
        design("- [x] **API Extensions**\n  - *New APIs:* N/A\n  - *Impact:* None, nothing is called"),
    ),
    (
        "handoff-no-substance",
        design("- [x] **Developer Handoff/QE Kickoff**\n  - *Key takeaways:* Meeting was held."),
        design("- [x] **Developer Handoff/QE Kickoff**\n  - *Key takeaways:* Old images lack X; tests pin the image."),
    ),
    (
        "api-internal-listed",
        design("- [x] **API Extensions**\n  - *New APIs:* the controller's own CRD\n  - *Impact:* no"),
        design("- [x] **API Extensions**\n  - *New APIs:* one optional maximum in the VM\n  - *Impact:* no"),
    ),
    (
        "requirements-vague",
        checklist("- [x] **Review Requirements**\n  - *Requirements:*\n    - Reviewed the relevant requirements."),
        checklist("- [x] **Review Requirements**\n  - *Requirements:*\n    - A raise beyond the maximum is refused"),
    ),
    (
        "requirements-vague",
        checklist("- [x] **Review Requirements**\n  - *Requirements:* See II.1"),
        criteria("a is refused"),
    ),
    (
        "use-case-not-user-story",
        checklist("- [x] **Customer Use Cases**\n  - *Use cases:*\n    - Backup vendors"),
        checklist("- [x] **Customer Use Cases**\n  - *Use cases:*\n    - **UC1:** As a backup vendor, I can read it"),
    ),
    (
        "criteria-not-list",
        criteria(value="Copy and delete are refused."),
        criteria("Copy is refused", "Delete is refused"),
    ),
    ("criterion-vague", criteria("Clone works"), criteria("A 10 GiB clone is listed within 60 s")),
    (
        "criteria-end-state-only",
        criteria("The VM is Running after the seamless move"),
        criteria("After the seamless move boot id and PID are unchanged"),
    ),
    (
        "nfr-category-missing",
        nfr("**Monitoring:** no alerts"),
        nfr(
            "**UI/Docs:** x\n    - **Monitoring/Observability:** x\n    - **Performance/Scalability:** x\n"
            "    - Security: x"
        ),
    ),
    ("nfr-unjustified", nfr("**Security:** N/A"), nfr("**Security:** N/A — permissions do not change")),
    (
        "nfr-scalability-limits-ignored",
        nfr("**Scalability:** no new scale requirements", "A VM is live-migrated."),
        nfr(
            "**Scalability:** no new scale requirements; moves queue behind the cluster's limit",
            "A VM is live-migrated.",
        ),
    ),
    (
        "nfr-ui-dismissed",
        nfr("**UI:** no UI changes"),
        nfr("**UI:** no UI changes\n      - *PM/UX Agreement:* [Name/Date]"),
    ),
    (
        "nfr-ui-dismissed",
        nfr("**UI:** nothing is added"),
        nfr("**UI:** nothing is added here; done by the UI team, CNV-00003"),
    ),
]


@pytest.mark.parametrize(("name", "bad", "good"), PAIRS, ids=[each[0] for each in PAIRS])
def test_rule(name, bad, good):
    assert name in ids(bad, fragment=True)
    assert name not in ids(good, fragment=True)
