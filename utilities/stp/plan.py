"""A test plan as data.  Every part carries its 1-based source line; nothing here judges, nothing here parses.

Parts whose content is put together of several texts are not slotted: every rule asks for it, and it is made once.
"""

from dataclasses import dataclass
from pathlib import Path

from utilities.stp.blocks import Block, Box, Image, Item
from utilities.stp.once import once
from utilities.stp.signing import SignOff
from utilities.stp.source import Source
from utilities.stp.text import Text, joined
from utilities.stp.vocabulary import Part


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it.  `part` is None for a heading the template does not know."""

    part: Part | None
    line: int
    level: int
    number: str
    title: str
    above: Part | None
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Field:
    """`- **Label:** value`; `name` is the template's label, `label` the author's, `items` what is nested below."""

    name: str
    label: str
    value: Text
    items: tuple[Item, ...]
    line: int

    @once
    def content(self) -> Text:
        """The value with everything nested below it."""
        return joined([self.value, *(item.content for item in self.items)])


@dataclass(frozen=True, slots=True)
class Phase:
    """A maturity line such as `TP: 4.30`."""

    name: str
    version: Text
    line: int


@dataclass(frozen=True, slots=True)
class Term:
    """A definition in the document conventions."""

    name: str
    definition: str
    line: int


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata list: fields, maturity phases, conventions (None when the label is absent)."""

    line: int
    fields: tuple[Field, ...]
    phases: tuple[Phase, ...]
    terms: tuple[Term, ...]
    conventions_line: int | None

    def field(self, name: str) -> Field | None:
        """The field with the template's `name`."""
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True)
class Answer:
    """A sub-bullet of a checklist item: label ('' when there is none), inline value, nested bullets."""

    label: str
    text: Text
    items: tuple[Item, ...]
    line: int

    @once
    def content(self) -> Text:
        """The value with everything nested below it."""
        return joined([self.text, *(item.content for item in self.items)])


@dataclass(frozen=True)
class ChecklistItem:
    """An item of I.1 or I.3; `title` is the template's, `written` the author's."""

    title: str
    written: str
    box: Box
    answers: tuple[Answer, ...]
    line: int

    @once
    def content(self) -> Text:
        """Everything answered, without labels."""
        return joined(answer.content for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Statement:
    """One requirement, use case or acceptance criterion; `listed` is False for prose behind the label."""

    text: Text
    line: int
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Nfr:
    """A line that answers one or more non-functional categories."""

    categories: tuple[str, ...]
    text: Text
    line: int


@dataclass(frozen=True, slots=True)
class Review:
    """What the requirements checklist (I.1) holds, in the reader's terms."""

    requirements: tuple[Statement, ...]
    use_cases: tuple[Statement, ...]
    criteria: tuple[Statement, ...]
    nfrs: tuple[Nfr, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """A testing goal.  `marks` are the bracketed words in front; `priority` is None unless P0, P1 or P2."""

    priority: str | None
    negative: bool
    marks: tuple[str, ...]
    text: Text
    regression: bool
    line: int


@dataclass(frozen=True, slots=True)
class Limitation:
    """A known limitation (I.2) or test limitation (II.1)."""

    text: Text
    sign_off: SignOff | None
    line: int


@dataclass(frozen=True, slots=True)
class OutOfScopeItem:
    """An item out of scope (II.1)."""

    text: Text
    rationale: Text | None
    agreement: SignOff | None
    line: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """A list declared empty in words."""

    text: Text
    sign_off: SignOff | None
    line: int


@dataclass(frozen=True, slots=True)
class Limitations:
    """A list of limitations at `line` (its heading or label), or the statement that there is none."""

    line: int
    items: tuple[Limitation, ...]
    nothing: Nothing | None


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """The exclusions at `line` (their label), or the statement that there is none."""

    line: int
    items: tuple[OutOfScopeItem, ...]
    nothing: Nothing | None


@dataclass(frozen=True, slots=True)
class Scope:
    """Section II.1.  A part whose label is absent is None; `goals` holds testing and regression goals in order."""

    line: int
    goals_line: int | None
    goals: tuple[Goal, ...]
    out_of_scope: OutOfScope | None
    test_limitations: Limitations | None

    @property
    def feature_goals(self) -> tuple[Goal, ...]:
        """The goals about the new feature, without regression goals."""
        return tuple(goal for goal in self.goals if not goal.regression)


@dataclass(frozen=True, slots=True)
class StrategyItem:
    """A test type of II.2; `types` are the template's names it covers (two for Performance/Scale)."""

    types: tuple[str, ...]
    written: str
    box: Box
    description: Text
    details: Text
    details_line: int
    line: int


@dataclass(frozen=True, slots=True)
class EntryCriterion:
    box: Box
    text: Text
    line: int


@dataclass(frozen=True, slots=True)
class Risk:
    """One risk; absent fields are None.  `status` is the cell of the old table."""

    text: Text | None
    mitigation: Text | None
    supplement: Field | None
    sign_off: SignOff | None
    status: str | None
    line: int
    mitigation_line: int


@dataclass(frozen=True, slots=True)
class RiskCategory:
    """A category of II.5; `name` is the template's, or the author's when the template has none."""

    name: str
    known: bool
    risks: tuple[Risk, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Exclusion:
    """`*Not automated here:* reason — issue, name / date`: a scenario excluded on purpose (sheet §6)."""

    reason: str
    issue: str | None
    name: str | None
    date: str | None
    line: int

    @property
    def signed(self) -> bool:
        """Somebody agreed on some date."""
        return self.name is not None and self.date is not None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario of III.

    id: the bold name in its text ("" when it has none); requirement: the issue key above it ("" when it has none);
    text: without bracket, mark and id, as `wording` with its markup; tier 1 to 3 and priority "P0".."P2" are None when
    absent or unknown, then tier_written and priority_written tell what stands there; number: its position under that
    requirement, from 1.
    """

    id: str
    requirement: str
    text: str
    wording: Text
    tier: int | None
    tier_written: str
    priority: str | None
    priority_written: str
    negative: bool
    exclusion: Exclusion | None
    line: int
    number: int

    @property
    def key(self) -> str:
        """The id, or the fallback `<requirement>#<n>`, which changes when scenarios are reordered."""
        return self.id or f"{self.requirement or '?'}#{self.number}"


@dataclass(frozen=True, slots=True)
class Requirement:
    """An entry of III: `id` as written ("" when absent), `key` the issue key in it, its story and its scenarios."""

    id: str
    key: str | None
    summary: Text
    scenarios: tuple[Scenario, ...]
    group: str
    continued: bool
    line: int


@dataclass(frozen=True, slots=True)
class Person:
    """One name in a list of people; parts that are not written are ''."""

    role: str
    name: str
    handles: tuple[str, ...]
    mail: str
    line: int


@dataclass(frozen=True, slots=True)
class Signatories:
    """Reviewers or approvers at `line` (their label); lines with a placeholder give a role but no person."""

    line: int
    people: tuple[Person, ...]
    roles: tuple[str, ...]
    listed: bool


@dataclass(frozen=True, slots=True)
class Approval:
    """Section IV; a list whose label is absent is None."""

    line: int
    reviewers: Signatories | None
    approvers: Signatories | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole plan.  An absent section is None, or empty where a tuple; `legacy_line` is the first old table."""

    source: Source
    title: str
    sections: tuple[Section, ...]
    metadata: Metadata | None
    overview: Text
    review_items: tuple[ChecklistItem, ...]
    review: Review
    limitations: Limitations | None
    design_items: tuple[ChecklistItem, ...]
    scope: Scope | None
    strategy: tuple[StrategyItem, ...]
    environment: tuple[Field, ...]
    tools: tuple[Field, ...]
    entry: tuple[EntryCriterion, ...]
    risks: tuple[RiskCategory, ...]
    requirements: tuple[Requirement, ...]
    approval: Approval | None
    sign_offs: tuple[SignOff, ...]
    images: tuple[Image, ...]
    glued_boxes: frozenset[int]
    legacy_line: int | None

    @property
    def path(self) -> Path:
        """Where it was read from."""
        return self.source.path

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """All scenarios in order."""
        return tuple(scenario for requirement in self.requirements for scenario in requirement.scenarios)

    def section(self, part: Part) -> Section | None:
        """The first section of that part."""
        return next((section for section in self.sections if section.part is part), None)

    def scenario(self, key: str) -> Scenario | None:
        """The scenario with that id (or fallback key)."""
        return next((scenario for scenario in self.scenarios if scenario.key == key), None)
