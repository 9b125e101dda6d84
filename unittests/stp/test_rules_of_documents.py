"""Rules that need a whole plan or its family; and that no rule is without a test."""

import pytest

from unittests.stp import test_rules_of_execution, test_rules_of_reviews, test_rules_of_scope
from unittests.stp.reading import plan
from unittests.stp.sections import CLEAN, changed, criteria, ids, metadata
from utilities.stp.rules import RULES

PAIRS = [
    ("section-missing", changed("#### **5. Risks**", "**5. Risks**"), CLEAN),
    ("section-missing", changed("**Test Limitations**\n", ""), CLEAN),
    ("section-misplaced", changed("#### **2. Known", "#### **6. Known"), CLEAN),
    ("section-title-variant", changed("User Story Review Checklist", "User Story"), CLEAN),
    ("section-title-variant", changed("# Openshift-virtualization-tests Test plan", "# Software Test plan"), CLEAN),
    ("section-extra", changed("#### **5. Risks**", "#### **7. Notes**\n\n#### **5. Risks**"), CLEAN),
    ("title-in-brackets", changed("**Memory hotplug for running VMs -", "**[Memory hotplug] -"), CLEAN),
    ("code-fence-no-language", f"{CLEAN}\n```\nx\n```\n", f"{CLEAN}\n```text\nx  \n\n\nx\n```\n"),
    ("image-no-alt", f"{CLEAN}\n![](net.png)\n", f"{CLEAN}\n![Two nodes](net.png)\n"),
    ("blank-lines-repeated", f"{CLEAN}\n\nx\n", f"{CLEAN}\nx\n"),
    ("trailing-whitespace", changed("DP: N/A", "DP: N/A "), CLEAN),
    ("no-final-newline", CLEAN.rstrip(), CLEAN),
    ("template-comment-left", f"{CLEAN}\n<!-- Mark [x] if done -->\n", CLEAN),
    ("placeholder-left", changed("GA: 5.1", "GA: [version]"), CLEAN),
    (
        "maturity-phase-unstated",
        changed("Tech Preview phase (4.30)", "first part").replace("General Availability", "next"),
        CLEAN,
    ),
    ("version-contradiction", changed("OpenShift Virtualization 4.30", "OpenShift Virtualization 4.31"), CLEAN),
    ("version-contradiction", changed("Tech Preview phase (4.30)", "Tech Preview phase (4.31)"), CLEAN),
    (
        "overview-length",
        changed(" Teams whose load", " e.g. teams whose load")
        .replace("This STP covers", "this STP covers")
        .replace("window for it.", "window for it,")
        .replace("restarting it.", "restarting it,"),
        CLEAN,
    ),
    (
        "implementation-term",
        changed("Verify that the raise appears", "Verify that `spec.memory.max` reaches the CR"),
        CLEAN,
    ),
    (
        "goal-without-scenario",
        changed("Verify that the raise appears in the VM's events", "Verify that colours match"),
        CLEAN,
    ),
    (
        "criterion-without-scenario",
        changed("  - *Note any gaps", "    - Every console session is archived for an auditor\n  - *Note any gaps"),
        CLEAN,
    ),
    (
        "scenario-without-goal",
        changed("Verify that the raise appears in the VM's events", "Verify that colours match"),
        CLEAN,
    ),
    (
        "goal-scenario-priority-mismatch",
        changed("the VM's events\n  - *Priority:* P1", "the VM's events\n  - *Priority:* P0"),
        CLEAN,
    ),
    ("scope-contradiction", changed("**More than 50 raises at once**", "**Linux VM with masquerade binding**"), CLEAN),
    (
        "requirements-repeat-overview",
        changed(
            "    - The limit of a running VM can be raised up to a maximum that its owner sets beforehand",
            "    - Teams whose load grows during the day no longer plan a maintenance window for it.",
        ),
        CLEAN,
    ),
]

FAMILY = [
    (
        "child-not-listed",
        {"children": ("net.md", "storage.md")},
        metadata("**Child STPs:**\n  - [net](./net.md)"),
        metadata("**Child STPs:**\n  - [net](./net.md)\n  - [storage](./storage.md#goals)"),
    ),
    (
        "child-no-parent-link",
        {"child": True},
        "### Feature Overview\n\nSee stp.md.\n",
        "### Feature Overview\n\nSee [it](stp.md).\n",
    ),
    (
        "child-duplicates-parent",
        {"child": True, "parent": plan(criteria("The guest sees the raised memory within sixty seconds"))},
        criteria("The guest sees the raised memory within sixty seconds"),
        criteria("The network keeps its address"),
    ),
]


@pytest.mark.parametrize(("name", "bad", "good"), PAIRS, ids=[each[0] for each in PAIRS])
def test_rule(name, bad, good):
    assert name in ids(bad)
    assert name not in ids(good)


@pytest.mark.parametrize(("name", "circumstances", "bad", "good"), FAMILY, ids=[each[0] for each in FAMILY])
def test_rule_in_a_family(name, circumstances, bad, good):
    assert name in ids(bad, fragment=True, **circumstances)
    assert name not in ids(good, fragment=True, **circumstances)


def test_every_rule_is_listed_once_and_tested():
    names = [rule.id for rule in RULES]
    modules = (test_rules_of_execution, test_rules_of_reviews, test_rules_of_scope)
    tested = {each[0] for each in (*PAIRS, *FAMILY)} | {each[0] for module in modules for each in module.PAIRS}

    assert sorted(set(names)) == sorted(names)
    assert set(names) == tested
