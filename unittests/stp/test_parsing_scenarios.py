"""The parser on Sections III and IV: requirements, scenarios, exclusions, people."""

import pytest

from unittests.stp.reading import plan


def test_scenario_variants():
    requirements = plan(
        """
        ### **III. Test Scenarios & Traceability**
        Introduction.
        #### sig-net
        - **[CNV-00001](https://x.example/CNV-00001)** — As a user, I want
          a so that b.
          - *Test Scenario:* [Tier 2] **GROW-01** — Verify a
            and more
          - *Priority:* P0

          - *Test Scenario:* [tier3] [NEGATIVE] **GROW-02**: Verify b
          - *Priority:* P1
          - *Not automated here:* no hardware — CNV-00073, QE One / 2031-03-04
        - **[CNV-00002]** \N{EN DASH} As a user, I can c
          - *Test Scenario:* **Scenario 1** — Verify c
          - *Tier:* 2
          - *Priority:* High
        - **[CNV-00001]** — As a user, I need d
          - *Test Tier:* Tier 2
          - *Priority:* P2
        #### sig-storage
        None
        """
    ).requirements

    first, second, third = requirements
    assert (first.id, first.key, first.group, first.line) == ("CNV-00001", "CNV-00001", "sig-net", 4)
    assert first.summary.flat == "As a user, I want a so that b."
    one, two = first.scenarios
    assert (one.id, one.tier, one.priority, one.negative, one.line) == ("GROW-01", 2, "P0", False, 6)
    assert one.text == "Verify a and more"
    assert (two.id, two.tier, two.tier_written, two.priority, two.negative) == ("GROW-02", 3, "[tier3]", "P1", True)
    assert two.exclusion.reason == "no hardware"
    assert (two.exclusion.issue, two.exclusion.name, two.exclusion.date) == ("CNV-00073", "QE One", "2031-03-04")
    (three,) = second.scenarios
    assert (three.key, three.tier, three.priority, three.priority_written) == ("CNV-00002#1", 2, None, "High")
    assert third.scenarios == ()


@pytest.mark.parametrize(
    ("written", "reason", "issue", "signed"),
    [
        ("needs Windows — CNV-00073, [Name / date]", "needs Windows", "CNV-00073", False),
        ("needs a second GPU model - no node has one — [CNV-00073](https://x.example), QE One, May 2031",
         "needs a second GPU model - no node has one", "CNV-00073", True),
        ("needs Windows", "needs Windows", None, False),
        ("CNV-00073, QE One / 2031-03-04", "", "CNV-00073", True),
        ("[Name / date]", "", None, False),
        ("", "", None, False),
    ],
)  # fmt: skip
def test_exclusions(written, reason, issue, signed):
    (requirement,) = plan(
        f"### III. Test Scenarios & Traceability\n- **[CNV-1]** — As a\n  - *Test Scenario:* [Tier 3] **W-01** — x\n"
        f"  - *Priority:* P2\n  - *Not automated here:* {written}\n"
    ).requirements
    (scenario,) = requirement.scenarios

    assert (scenario.exclusion.reason, scenario.exclusion.issue) == (reason, issue)
    assert scenario.exclusion.signed is signed
    assert scenario.exclusion.line == 5


def test_people_in_every_spelling():
    approval = plan(
        """
        ### **IV. Sign-off and Approval**
        - **Reviewers:**
          - Role: Name One (@one)
          - QE (sig-x, sig-y): [Name Two](https://github.com/two), Name Three @three
          - QE Lead / @four
          - Dev Lead: five@x.example
          - Product Manager / Name Seven @seven
          - six / @six
        **Approvers:**
        - PM: [Name / @github-username]
        """
    ).approval

    assert [(person.role, person.name, person.handles, person.mail) for person in approval.reviewers.people] == [
        ("Role", "Name One", ("@one",), ""),
        ("QE (sig-x, sig-y)", "Name Two", ("@two",), ""),
        ("QE (sig-x, sig-y)", "Name Three", ("@three",), ""),
        ("QE Lead", "", ("@four",), ""),
        ("Dev Lead", "", (), "five@x.example"),
        ("Product Manager", "Name Seven", ("@seven",), ""),
        ("", "", ("@six",), ""),
    ]
    assert (approval.approvers.line, approval.approvers.roles, approval.approvers.people) == (9, ("PM",), ())
