"""What the tests of the lint rules share: small plans built around one section, and the ids found in them."""

from unittests.stp.reading import CASES, plan
from utilities.stp.linting import lint
from utilities.stp.parsing import load_plan
from utilities.stp.rules import Subject

CLEAN = load_plan(CASES / "00-clean.md").source.text


def changed(old, new):
    """The clean plan with one place changed."""
    assert old in CLEAN
    return CLEAN.replace(old, new)


def ids(text, **circumstances):
    return {finding.id for finding in lint(Subject(plan(text), **circumstances))}


def checklist(item):
    return f"#### **1. Requirement & User Story Review Checklist**\n\n{item}\n"


def criteria(*lines, value=""):
    listed = "".join(f"    - {line}\n" for line in lines)
    return checklist(f"- [x] **Acceptance Criteria**\n  - *List the acceptance criteria:* {value}\n{listed}")


def nfr(line, before=""):
    return checklist(
        f"{before}\n- [x] **Non-Functional Requirements (NFRs)**\n  - *List applicable NFRs:*\n    - {line}\n"
    )


def design(item):
    return f"#### **3. Technology and Design Review**\n\n{item}\n"


def goals(*lines):
    return "#### **1. Scope of Testing**\n\n**Testing Goals**\n\n" + "".join(f"- {line}\n" for line in lines)


def excluded(item):
    return f"#### **1. Scope of Testing**\n\n**Out of Scope (Testing Scope Exclusions)**\n\n{item}\n"


def constrained(item):
    return f"#### **1. Scope of Testing**\n\n**Test Limitations**\n\n{item}\n"


def known(item):
    return f"#### **2. Known Limitations**\n\n{item}\n"


def strategy(item):
    return f"#### **2. Test Strategy**\n\n{item}\n"


def environment(field):
    return f"#### **3. Test Environment**\n\n- {field}\n"


def risks(text):
    return f"#### **5. Risks**\n\n{text}\n"


def scenario(text, rest="  - *Priority:* P1\n", head="- **[CNV-00001]** — As a user, I want x so that y."):
    return f"### **III. Test Scenarios & Traceability**\n\n{head}\n  - *Test Scenario:* {text}\n{rest}"


def people(reviewers, approvers="  - QE Lead: A One (@one)\n  - PM: A Two (@two)\n  - Dev Lead: A Three (@three)"):
    return f"### **IV. Sign-off and Approval**\n\n* **Reviewers:**\n{reviewers}\n* **Approvers:**\n{approvers}\n"


def metadata(field):
    return f"### **Metadata & Tracking**\n\n- {field}\n"


RISK = (
    "**Test Coverage**\n\n- **Risk:** {}\n  - **Mitigation:** {}\n  - *Areas with reduced coverage:* x\n"
    "  - *Sign-off:* {}\n"
)
SIGNED = "QE One / 2031-03-04"
VGPU_GOAL = "**[P0]** Verify that a VM with a vGPU moves to another GPU node{}"
OLD_DESCRIPTION = "Identified potential testing challenges related to the underlying technology."
