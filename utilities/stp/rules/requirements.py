"""Requirements, use cases and acceptance criteria (I.1)."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.similarity import contained, stems
from utilities.stp.values import has_placeholder, is_empty, is_na, is_user_story, sentences
from utilities.stp.vocabulary import CRITERIA

_VAGUE_REQUIREMENT = re.compile(
    r"^\W*(?:(?:we |qe )?(?:have )?(?:reviewed|read|checked)\b.{0,40}\brequirements?\b"
    r"|(?:the |all )?requirements? (?:are|were|have been) (?:clear|reviewed|read|understood)\b"
    r"|(?:see|refer to|as in|listed in)\b.{0,60})[\s.]*$",
    re.IGNORECASE,
)
_PARENT = re.compile(r"\bparent\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"\bworks?\b(?! load)(?: (?:correctly|properly|fine|well|as (?:expected|before)))?"
    r"|\bfunctions? (?:correctly|properly)"
    r"|\bas expected\b|\bidentical(?:ly)?\b|\bwell[- ]defined\b|\b(?:handled|behaves?) (?:correctly|properly|well)\b",
    re.IGNORECASE,
)
_MEASURABLE = re.compile(
    r"\d|\bwithin\b|\brefused\b|\bunchanged\b|\bsame\b|\brejected\b|\breason\b|\bmessage\b|\bevents?\b|\bevery byte\b",
    re.IGNORECASE,
)
_SEAMLESS = re.compile(
    r"\bseamless\w*|\b(?:no|zero|without(?: any)?) (?:downtime|disruption|interruption|restart(?:ing)?|outage)\b"
    r"|\buninterrupted\b|\bneeds no (?:downtime|restart)\b",
    re.IGNORECASE,
)
_CONTINUITY = re.compile(
    r"\bpids?\b|\bprocess id|\bboot[ -]?ids?\b|\buptime\b|\bnot (?:be )?(?:dropped|rebooted|restarted|interrupted)\b"
    r"|\bstays? open\b|\bkeeps? .{0,20}\bopen\b|\bno reboot\b|\bwithout (?:a |any )?(?:reboot|restart)\b|\bstart time\b"
    r"|\bheartbeats?\b|\b(?:gap|pause|interruption|downtime) (?:of |is |stays )?(?:at most|below|under|less)",
    re.IGNORECASE,
)
_SHORT_REQUIREMENT = 6
_NEARLY_EQUAL = 0.9


@rule("requirements-vague", Severity.HIGH, Kind.HEURISTIC)
def requirements_vague(subject: Subject) -> Iterator[Hit]:
    """A requirement only says that requirements were reviewed, or points to another section.

    Why: a plan proves requirements one by one; a pointer cannot be proven.
    Bad: `See II.1`
    Good: `Memory of a running VM grows without a restart`
    """
    for statement in subject.plan.review.requirements:
        match = _VAGUE_REQUIREMENT.match(statement.text.flat)
        excused = subject.child and _PARENT.search(statement.text.flat)
        if match and not excused:
            yield Hit(
                statement.line, "no requirement is stated", "list the tracker's requirements", matched=(match[0],)
            )


@rule("requirements-repeat-overview", Severity.MEDIUM, Kind.HEURISTIC)
def requirements_repeat_overview(subject: Subject) -> Iterator[Hit]:
    """A requirement nearly equals a sentence of the overview.

    Why: the tracker's single requirements disappear behind one sentence.
    Bad: the overview's sentence once more
    Good: each requirement of the tracker as a bullet
    """
    told = [stems(sentence) for sentence in sentences(subject.plan.overview)]
    for statement in subject.plan.review.requirements:
        own = stems(statement.text.flat)
        if len(own) < _SHORT_REQUIREMENT:
            continue
        if any(contained(own, each) >= _NEARLY_EQUAL and contained(each, own) >= _NEARLY_EQUAL for each in told):
            yield Hit(statement.line, "the requirement repeats the overview", "list the tracker's single requirements")


@rule("use-case-not-user-story", Severity.MEDIUM)
def use_case_not_user_story(subject: Subject) -> Iterator[Hit]:
    """A use case is no user story.

    Why: role and purpose tell what has to be observed.
    Bad: `Backup vendors`
    Good: `As a backup vendor, I want changed blocks so that copies are small.`
    """
    for statement in subject.plan.review.use_cases:
        if not (is_user_story(statement.text) or has_placeholder(statement.text) or is_na(statement.text)):
            yield Hit(statement.line, "the use case is no user story", "write As a <role>, I want … so that …")


@rule("criteria-not-list", Severity.HIGH)
def criteria_not_list(subject: Subject) -> Iterator[Hit]:
    """Acceptance criteria stand inline as prose.

    Why: each criterion is traced and signed off by itself.
    Bad: `Copy and delete are fine.`
    Good: a bullet for copy, a bullet for delete
    """
    criteria = subject.plan.review.criteria
    for statement in criteria:
        prose = not statement.listed and not is_na(statement.text) and not has_placeholder(statement.text)
        if prose and not any(each.listed for each in criteria):
            yield Hit(statement.line, "acceptance criteria are prose", "give each criterion a bullet")


@rule("criterion-vague", Severity.HIGH, Kind.HEURISTIC)
def criterion_vague(subject: Subject) -> Iterator[Hit]:
    """A criterion says that something works, without a condition that can be measured.

    Why: no test can fail against it.
    Bad: `Clone works`
    Good: `A 10 GiB clone is listed within 60 s and reads back the source's bytes`
    """
    for statement in subject.plan.review.criteria:
        match = _VAGUE.search(statement.text.flat)
        if match and not _MEASURABLE.search(statement.text.flat):
            yield Hit(
                statement.line, "the criterion cannot be measured", "say what is seen, and by when", matched=(match[0],)
            )


@rule("criteria-end-state-only", Severity.HIGH, Kind.HEURISTIC)
def criteria_end_state_only(subject: Subject) -> Iterator[Hit]:
    """The plan promises no interruption, and every criterion would still hold after a stop and a restart.

    Why: a guest that was stopped and started again ends in the same state.
    Bad: `The VM is Running afterwards`
    Good: `Boot id and process id are unchanged`
    """
    plan = subject.plan
    claims = [plan.overview.flat, *(item.content.flat for item in plan.review_items)]
    claims += [goal.text.flat for goal in plan.scope.goals] if plan.scope else []
    match = next((found for text in claims if (found := _SEAMLESS.search(text))), None)
    item = next((each for each in plan.review_items if each.title == CRITERIA.title), None)
    criteria = [each for each in plan.review.criteria if not is_empty(each.text)]
    if match is None or item is None or not criteria:
        return
    if not any(_CONTINUITY.search(each.text.flat) for each in criteria):
        yield Hit(
            item.line,
            "no criterion fails after a stop and a restart",
            "add process id, boot id, an open connection or a bounded gap",
            matched=(match[0],),
        )
