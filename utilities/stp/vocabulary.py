"""The names of the plan template: headings, labels, fields and how authors vary them.  Source: stp sheet §1."""

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

_WORD = re.compile(r"[a-z0-9]+")


@lru_cache(maxsize=4096)
def words(text: str) -> str:
    """Lower-case letters and digits only, single blanks between words: for comparing names, never for showing."""
    return " ".join(_WORD.findall(text.lower()))


class Part(Enum):
    """A heading of the template: (number, title, level, words one of which identifies it)."""

    DOCUMENT = ("", "Openshift-virtualization-tests Test plan", 1, ())
    PLAN = ("", "Quality Engineering Plan", 2, ())
    METADATA = ("", "Metadata & Tracking", 3, ("metadata",))
    OVERVIEW = ("", "Feature Overview", 3, ("overview",))
    MOTIVATION = (
        "I",
        "Motivation and Requirements Review (QE Review Guidelines)",
        3,
        ("motivation", "requirements review"),
    )
    CHECKLIST = ("1", "Requirement & User Story Review Checklist", 4, ("user story", "requirement review"))
    LIMITATIONS = ("2", "Known Limitations", 4, ("known limitation",))
    DESIGN = ("3", "Technology and Design Review", 4, ("design review", "technology and design"))
    SOFTWARE_TEST_PLAN = ("II", "Software Test Plan (STP)", 3, ("software test plan",))
    SCOPE = ("1", "Scope of Testing", 4, ("scope of testing", "testing scope"))
    STRATEGY = ("2", "Test Strategy", 4, ("test strategy",))
    ENVIRONMENT = ("3", "Test Environment", 4, ("test environment",))
    TOOLS = ("3.1", "Testing Tools & Frameworks", 4, ("testing tools", "tools frameworks"))
    ENTRY = ("4", "Entry Criteria", 4, ("entry criteria",))
    RISKS = ("5", "Risks", 4, ("risks",))
    SCENARIOS = ("III", "Test Scenarios & Traceability", 3, ("test scenarios", "traceability"))
    APPROVAL = ("IV", "Sign-off and Approval", 3, ("sign off and approval", "final approval"))

    def __init__(self, number: str, title: str, level: int, keys: tuple[str, ...]) -> None:
        self.number = number
        self.title = title
        self.level = level
        self.keys = keys

    @property
    def parent(self) -> "Part | None":
        """The part under whose heading this one stands; None on the upper levels."""
        if self in (Part.CHECKLIST, Part.LIMITATIONS, Part.DESIGN):
            return Part.MOTIVATION
        if self.level == 4:
            return Part.SOFTWARE_TEST_PLAN
        return None

    @property
    def heading(self) -> str:
        """As the template writes it."""
        dot = f"{self.number}. " if self.number else ""
        if self is Part.DOCUMENT:
            return f"# {self.title}"
        return f"{'#' * self.level} **{dot}{self.title}**"


GOALS = "Testing Goals"
REGRESSION_GOALS = "Regression Goals"
OUT_OF_SCOPE = "Out of Scope (Testing Scope Exclusions)"
TEST_LIMITATIONS = "Test Limitations"
CONVENTIONS = "Document Conventions"
MOTIVATION_NOTE = "Motivation"
REVIEWERS = "Reviewers"
APPROVERS = "Approvers"

STRATEGY_GROUPS = {
    "Functional": ("Functional Testing", "Automation Testing", "Regression Testing"),
    "Non-Functional": (
        "Performance Testing",
        "Scale Testing",
        "Security Testing",
        "Usability Testing",
        "Monitoring",
    ),
    "Integration & Compatibility": (
        "Compatibility Testing",
        "Upgrade Testing",
        "Dependencies",
        "Cross Integrations",
    ),
    "Infrastructure": ("Cloud Testing",),
}
STRATEGY_TYPES = tuple(name for group in STRATEGY_GROUPS.values() for name in group)

RISK_FIELDS = {
    "Timeline/Schedule": ("Estimated impact on schedule",),
    "Test Coverage": ("Areas with reduced coverage",),
    "Test Environment": ("Missing resources or infrastructure", "Missing or unavailable environments"),
    "Untestable Aspects": ("Alternative validation approach", "Reason untestable and mitigation approach"),
    "Resource Constraints": ("Current capacity gaps", "Missing resources or infrastructure"),
    "Dependencies": ("Dependent teams or components", "Third-party services or blockers"),
}
"""Risk category to the names of its supplemental field: the template's first, the review rules' second."""
OTHER_RISK = "Other"

METADATA_FIELDS = (
    "Enhancement(s)",
    "Feature Tracking",
    "Epic Tracking",
    "Feature Maturity",
    "QE Owner(s)",
    "Owning SIG",
    "Participating SIGs",
)
CHILD_METADATA_FIELDS = ("Feature Tracking", "Epic Tracking", "QE Owner(s)", "SIG")
METADATA_ALIASES = {
    "enhancement": "Enhancement(s)",
    "enhancements": "Enhancement(s)",
    "enhancement s": "Enhancement(s)",
    "feature tracking": "Feature Tracking",
    "feature in jira": "Feature Tracking",
    "epic tracking": "Epic Tracking",
    "jira tracking": "Epic Tracking",
    "feature maturity": "Feature Maturity",
    "target release": "Feature Maturity",
    "target release s": "Feature Maturity",
    "target releases": "Feature Maturity",
    "qe owner": "QE Owner(s)",
    "qe owners": "QE Owner(s)",
    "qe owner s": "QE Owner(s)",
    "owning sig": "Owning SIG",
    "sig": "SIG",
    "participating sig": "Participating SIGs",
    "participating sigs": "Participating SIGs",
    "participating sig s": "Participating SIGs",
    "child stps": "Child STPs",
    "child stp": "Child STPs",
    "child stp s": "Child STPs",
}

ENVIRONMENT_FIELDS = (
    "Cluster Topology",
    "OCP & OpenShift Virtualization Version(s)",
    "CPU Virtualization",
    "Compute Resources",
    "Special Hardware",
    "Storage",
    "Network",
    "Required Operators",
    "Platform",
    "Special Configurations",
)
TOOL_FIELDS = ("Test Framework", "CI/CD", "Other Tools")


@dataclass(frozen=True, slots=True)
class Question:
    """A sub-bullet label of a checklist item; an author's label answers it when it holds one of `keys`."""

    label: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A checklist item: its title, the words that identify it, its questions."""

    title: str
    keys: tuple[str, ...]
    questions: tuple[Question, ...] = ()


REQUIREMENTS = Check(
    "Review Requirements",
    ("review requirements",),
    (Question("List the key D/S requirements reviewed", ("requirement",)),),
)
VALUE = Check(
    "Understand Value and Customer Use Cases",
    ("understand value", "customer use cases"),
    (
        Question("Describe the feature's value to customers", ("value",)),
        Question("List the customer use cases identified", ("use case",)),
    ),
)
TESTABILITY = Check(
    "Testability",
    ("testability",),
    (Question("Note any requirements that are unclear or untestable", ("unclear", "untestable")),),
)
CRITERIA = Check(
    "Acceptance Criteria",
    ("acceptance criteria",),
    (
        Question("List the acceptance criteria", ("acceptance criteria", "list the")),
        Question("Note any gaps or missing criteria", ("gap", "missing")),
    ),
)
NFRS = Check(
    "Non-Functional Requirements (NFRs)",
    ("non functional requirement", "nfr"),
    (
        Question("List applicable NFRs and their targets", ("applicable", "target", "specific nfr")),
        Question("Note any NFRs not covered and why", ("not covered",)),
    ),
)
HANDOFF = Check(
    "Developer Handoff/QE Kickoff",
    ("developer handoff", "kickoff"),
    (Question("Key takeaways and concerns", ("takeaway", "concern")),),
)
CHALLENGES = Check(
    "Technology Challenges",
    ("technology challenges",),
    (
        Question("List identified challenges", ("challenge",)),
        Question("Impact on testing approach", ("impact", "approach")),
    ),
)
API = Check(
    "API Extensions",
    ("api extension",),
    (
        Question("List new or modified APIs", ("new or modified", "api")),
        Question("Testing impact", ("impact",)),
    ),
)
ENVIRONMENT_NEEDS = Check("Test Environment Needs", ("test environment needs", "environment needs"))
TOPOLOGY = Check(
    "Topology Considerations",
    ("topology consideration", "topology"),
    (
        Question("Describe topology requirements", ("topology requirement", "describe")),
        Question("Impact on test design", ("impact", "design")),
    ),
)
REVIEW_CHECKS = (REQUIREMENTS, VALUE, TESTABILITY, CRITERIA, NFRS)
DESIGN_CHECKS = (HANDOFF, CHALLENGES, API, ENVIRONMENT_NEEDS, TOPOLOGY)

NFR_CATEGORIES = {
    "Monitoring": ("monitoring", "metric", "metrics", "alert", "alerts"),
    "Observability": ("observability",),
    "UI": ("ui", "user interface", "console"),
    "Documentation": ("documentation", "docs", "doc"),
    "Performance": ("performance",),
    "Security": ("security",),
    "Scalability": ("scalability", "scale"),
}
"""Category to the words that name it in the label of a line (whole words, lower case)."""

_LABEL_SPELLINGS = {
    words(spelling): name
    for name, spellings in {
        GOALS: (GOALS, "Test Goals"),
        REGRESSION_GOALS: (REGRESSION_GOALS, "Regression Testing Goals"),
        OUT_OF_SCOPE: (OUT_OF_SCOPE, "Out of Scope", "Testing Scope Exclusions"),
        TEST_LIMITATIONS: (TEST_LIMITATIONS,),
        REVIEWERS: (REVIEWERS,),
        APPROVERS: (APPROVERS,),
        OTHER_RISK: (OTHER_RISK,),
        **{name: (name,) for name in (*STRATEGY_GROUPS, *RISK_FIELDS)},
    }.items()
    for spelling in spellings
}


def label_name(text: str) -> str | None:
    """The template's spelling of a bold label that stands on its own line, None for any other text."""
    return _LABEL_SPELLINGS.get(words(text))
