"""The parser on the forms of sheet §1: one test a variation, each with the lines it must report."""

import pytest

from unittests.stp.reading import CASES, plan
from utilities.stp.blocks import Box
from utilities.stp.parsing import load_plan
from utilities.stp.vocabulary import Part


def test_clean_plan_has_every_section_under_its_parent():
    clean = load_plan(CASES / "00-clean.md")

    assert [section.part for section in clean.sections] == list(Part)
    assert all(section.above is section.part.parent for section in clean.sections if section.part)
    assert clean.title == "Memory hotplug for running VMs"
    assert [len(goal.marks) for goal in clean.scope.goals] == [1, 2, 1]


def test_metadata_in_list_form():
    read = plan(
        """
        ### Metadata & Tracking
        - **Enhancement(s):** [Proposal](https://x.example/1) and [Other](https://x.example/2)
        - **Feature Maturity:**
          - DP: N/A
          - **TP:** v4.30 - first cut
          - GA: 5.1

        - **QE Owner(s):** One (@one), Two (two@x.example)
        - **Child STPs:**
          - [net](net.md)

        > a note

        **Document Conventions:**
        - mdev: a share of a GPU
        - **UDN** \N{EN DASH} user network
        - FOO = bar
        """
    ).metadata

    assert [(field.name, field.line) for field in read.fields] == [
        ("Enhancement(s)", 2),
        ("Feature Maturity", 3),
        ("QE Owner(s)", 8),
        ("Child STPs", 9),
    ]
    assert read.field("Enhancement(s)").value.links == (
        ("Proposal", "https://x.example/1"),
        ("Other", "https://x.example/2"),
    )
    assert [(phase.name, phase.version.flat, phase.line) for phase in read.phases] == [
        ("DP", "N/A", 4),
        ("TP", "v4.30 - first cut", 5),
        ("GA", "5.1", 6),
    ]
    assert [(term.name, term.definition, term.line) for term in read.terms] == [
        ("mdev", "a share of a GPU", 15),
        ("UDN", "user network", 16),
        ("FOO", "bar", 17),
    ]
    assert read.conventions_line == 14


def test_metadata_in_table_form():
    read = plan(
        """
        ### **Metadata & Tracking**
        | Field | Details |
        |:------|:--------|
        | **Feature in Jira** | https://x.example/CNV-00001<br/>https://x.example/CNV-00002 |
        | **Target Release(s)** | 4.22 \\| 5.0 |

        **Document Conventions (if applicable):** N/A — plain words
        """
    )

    assert read.legacy_line == 2
    assert [(field.name, field.label) for field in read.metadata.fields] == [
        ("Feature Tracking", "Feature in Jira"),
        ("Feature Maturity", "Target Release(s)"),
    ]
    assert read.metadata.field("Feature Maturity").value.flat == "4.22 | 5.0"
    assert read.metadata.terms == ()


def test_checklist_glued_unlabelled_and_nested():
    items = plan(
        """
        #### **1. Requirement & User Story Review Checklist**
        - [X] **Review Requirements**
            - *List the key D/S requirements reviewed:*
                - one
                - two, wrapped
                  over lines
        - [ ] **Testability**
          - nothing unclear
        - [] **Acceptance Criteria:**
          - *Acceptance criteria:* inline prose
            - **AC1:** nested
        -[x] **NFR**
          - **Security:** same
          - Performance: fast
          - **UI/Docs** none
        """
    )

    assert [(item.title, item.box, item.line) for item in items.review_items] == [
        ("Review Requirements", Box.MARKED, 2),
        ("Testability", Box.OPEN, 7),
        ("Acceptance Criteria", Box.MALFORMED, 9),
        ("Non-Functional Requirements (NFRs)", Box.MALFORMED, 12),
    ]
    assert [(one.text.flat, one.line) for one in items.review.requirements] == [
        ("one", 4),
        ("two, wrapped over lines", 5),
    ]
    assert [(one.text.flat, one.listed) for one in items.review.criteria] == [
        ("inline prose", False),
        ("AC1: nested", True),
    ]
    assert [(nfr.categories, nfr.line) for nfr in items.review.nfrs] == [
        (("Security",), 13),
        (("Performance",), 14),
        (("UI", "Documentation"), 15),
    ]


def test_checklist_in_table_form():
    read = plan(
        """
        #### **1. Requirement & User Story Review Checklist**
        | Check | Done | Details/Notes | Comments |
        |:------|:-----|:--------------|:---------|
        | **Customer Use Cases** | [x] | 1. As a user, I want a.<br/>2. As a user, I want b. | - |
        | **Acceptance Criteria** | [ ] | 1. first<br>2. second | noted |
        """
    )

    assert [item.box for item in read.review_items] == [Box.MARKED, Box.OPEN]
    assert [case.text.flat for case in read.review.use_cases] == ["As a user, I want a.", "As a user, I want b."]
    assert [one.text.flat for one in read.review.criteria] == ["first", "second", "noted"]


def test_label_directly_below_a_goal_ends_the_list():
    scope = plan(
        """
        #### **1. Scope of Testing**
        A policy paragraph.
        **Testing Goals:**
        An introduction.
        - **[P0]** first,
          wrapped
        - [P1] second
          - IPv4
          - IPv6
        **Regression Goals**
        - **[P0]** suite
        **Out of Scope (Testing Scope Exclusions)**
        - **Windows** and more text
          - *Constraint:* none
          - *Rationale:* nobody asked
          - *PM/Lead Agreement:* PM One (@pm) / 1.5.2031
        **Test Limitations**
        None — reviewed and confirmed that nothing limits
        - *Sign-off:* PM One, May 2031
        ---
        """
    ).scope

    assert [(goal.text.flat, goal.priority, goal.regression, goal.line) for goal in scope.goals] == [
        ("first, wrapped", "P0", False, 5),
        ("second IPv4 IPv6", "P1", False, 7),
        ("suite", "P0", True, 11),
    ]
    assert scope.goals_line == 3
    (item,) = scope.out_of_scope.items
    assert (item.text.flat, item.rationale.flat) == ("Windows and more text", "nobody asked")
    assert (item.agreement.name, item.agreement.date, item.agreement.line) == ("PM One (@pm)", "1.5.2031", 16)
    assert scope.test_limitations.items == ()
    assert scope.test_limitations.nothing.sign_off.complete


def test_heading_and_rule_directly_below_an_item():
    read = plan(
        """
        #### **2. Known Limitations**
        - **slow**
          - *Sign-off:* Name/Date
        ---
        #### **3. Technology and Design Review**
        - [x] **Technology Challenges**
        """
    )

    assert [section.line for section in read.sections] == [1, 5]
    assert read.limitations.items[0].sign_off.open


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("None — reviewed and confirmed with PM One / 2031-03-04", True),
        ("- **None** — nothing known\n  - *Sign-off:* PM One / 2031-03-04", True),
        ("No limitations identified.", True),
        ("- None of the nodes may be rebooted", False),
    ],
)
def test_empty_list_declared_in_words(text, declared):
    limitations = plan(f"#### **2. Known Limitations**\n{text}\n").limitations

    assert (limitations.nothing is not None) is declared
    assert bool(limitations.items) is not declared


def test_strategy_variants():
    items = plan(
        """
        #### **2. Test Strategy**
        **Functional**
        - **Functional Testing**
          description on the next line
          - detail one
            - nested
        - [x] **Performance/Scale Testing** — many
          - *Details:* at once
        - [ ] **Cloud Testing** — N/A
        - [ ] **Usability Testing** — people
          - Does the feature need a UI?
          - *Details:* none needed
        """
    ).strategy

    assert [(item.types, item.box) for item in items] == [
        (("Functional Testing",), Box.ABSENT),
        (("Performance Testing", "Scale Testing"), Box.MARKED),
        (("Cloud Testing",), Box.OPEN),
        (("Usability Testing",), Box.OPEN),
    ]
    assert [item.details.flat for item in items] == ["detail one nested", "at once", "N/A", "none needed"]
    assert items[0].description.flat == "description on the next line"


def test_strategy_in_table_form():
    items = plan(
        """
        #### **2. Test Strategy**
        | Item | Description | Applicable (Y/N or N/A) | Comments |
        |---|---|---|---|
        | Functional Testing | does what it says | Y | |
        | Backward Compatibility Testing | old versions | N/A | nothing stored |
        """
    ).strategy

    assert [(item.types[0], item.box, item.details.flat) for item in items] == [
        ("Functional Testing", Box.MARKED, ""),
        ("Compatibility Testing", Box.OPEN, "nothing stored"),
    ]


def test_environment_list_and_table():
    listed = plan(
        "#### **3. Test Environment**\n- **Storage:**\n  - class a\n  - class b\n- **FIPS:** off\n",
    ).environment
    table = plan(
        "#### 3. Test Environment\n| Environment Component | Configuration | Specification Examples |\n|--|--|--|\n"
        "| **Platform** | | Bare metal |\n| Storage | N/A | - |\n"
    ).environment

    assert [(field.name, field.content.flat) for field in listed] == [("Storage", "class a class b"), ("FIPS", "off")]
    assert [(field.name, field.value.flat) for field in table] == [("Platform", "Bare metal"), ("Storage", "N/A")]


def test_risk_variants():
    categories = plan(
        """
        #### **5. Risks**
        **Test Coverage**
        - **Risk:** one
          - **Mitigation:** do a
        - **Risk:**
          - nested
        - **Mitigation:** do b
        - *Areas with reduced coverage:* c

        **Legal**
        - **Risk:** paper
        - [x] **Dependencies**
          - Risk: plain
          - Mitigation: plain too
        **Other**
        """
    ).risks

    coverage, legal, dependencies, other = categories
    assert [(risk.text.flat, risk.mitigation.flat, risk.line) for risk in coverage.risks] == [
        ("one", "do a", 3),
        ("nested", "do b", 5),
    ]
    assert coverage.risks[1].supplement.value.flat == "c"
    assert (legal.name, legal.known) == ("Legal", False)
    assert (dependencies.name, dependencies.risks[0].mitigation.flat) == ("Dependencies", "plain too")
    assert other.risks == ()


def test_commented_goals_and_headings_do_not_exist():
    read = plan(
        """
        #### **1. Scope of Testing**
        **Testing Goals**
        <!-- - **[P0]** example
        **Out of Scope (Testing Scope Exclusions)**
        - [ ] box
        #### **2. Test Strategy** -->
        - **[P1]** real
        """
    )

    assert [(goal.priority, goal.line) for goal in read.scope.goals] == [("P1", 7)]
    assert read.scope.out_of_scope is None
    assert len(read.sections) == 1


@pytest.mark.parametrize(
    "heading",
    ["## [Fast clone] \N{EN DASH} Quality Engineering Plan", "## **Fast  clone - QUALITY engineering plan**"],
)
def test_title_spellings(heading):
    assert plan(f"# Software Test plan\n{heading}\n").title.split() == ["Fast", "clone"]


def test_nothing_at_all():
    empty = plan("")

    assert (empty.sections, empty.scenarios, empty.metadata, empty.scope) == ((), (), None, None)
