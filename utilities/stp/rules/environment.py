"""Environment, tools and entry criteria (II.3, II.3.1, II.4)."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Field
from utilities.stp.rule import Hit, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.values import has_placeholder, is_empty, is_na
from utilities.stp.versions import platform_version, virtualization_version
from utilities.stp.vocabulary import ENVIRONMENT_FIELDS, TOOL_FIELDS, Part

_VERSIONS = "OCP & OpenShift Virtualization Version(s)"
_GENERIC_STORAGE = re.compile(
    r"\W*(?:standard|default|any|agnostic|RW[XO]\b|ReadWrite\w+|block\b|file(?:system)?\b|shared\b|dynamic\b)",
    re.IGNORECASE,
)
_GENERIC_PLATFORM = re.compile(r"\W*(?:standard|any|agnostic|default)\b", re.IGNORECASE)
_STANDARD_TOOL = re.compile(
    r"\b(?:pytest|oc|virtctl|openshift-virtualization-tests|openshift-python-wrapper|ocp-resources)\b", re.IGNORECASE
)
_REQUIREMENTS = re.compile(r"\brequirements?\b.*\b(?:approved|merged|reviewed|signed)\b", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"\benvironment\b.*\b(?:set up|setup|configur\w+|available|ready)\b", re.IGNORECASE)


@rule("env-field-missing", Severity.HIGH)
def env_field_missing(subject: Subject) -> Iterator[Hit]:
    """A field of the test environment is absent; a child plan may leave the whole list to its parent.

    Why: a result is only worth something for the environment it was seen on.
    Bad: no Platform
    Good: `- **Platform:** Bare metal`
    """
    section = subject.plan.section(Part.ENVIRONMENT)
    if section is None or (subject.child and not subject.plan.environment):
        return
    present = {field.name for field in subject.plan.environment}
    for name in ENVIRONMENT_FIELDS:
        if name not in present:
            yield Hit(section.line, f"no field {name}", f"add `- **{name}:** …`, N/A is a value")


@rule("env-field-empty", Severity.HIGH)
def env_field_empty(subject: Subject) -> Iterator[Hit]:
    """A field of the test environment has no value; a bare N/A is one.

    Why: an empty field cannot be told from a forgotten one.
    Bad: `- **Compute Resources:**`
    Good: `- **Compute Resources:** N/A`
    """
    for field in subject.plan.environment:
        if is_empty(field.content) and not has_placeholder(field.content):
            yield Hit(field.line, f"{field.label} is empty", "write a value or N/A")


@rule("versions-conflated", Severity.HIGH)
def versions_conflated(subject: Subject) -> Iterator[Hit]:
    """Not one explicit version for each of OCP and OpenShift Virtualization.

    Why: two products, two version numbers, two release dates.
    Bad: `4.30`
    Good: `OCP 4.30 with OpenShift Virtualization 4.30`
    """
    field = _field(subject, _VERSIONS)
    if field is None or is_na(field.content):
        return
    flat = field.content.flat
    missing = [
        name
        for name, version in (
            ("OCP", platform_version(flat)),
            ("OpenShift Virtualization", virtualization_version(flat)),
        )
        if version is None
    ]
    if missing:
        yield Hit(
            field.line,
            f"no version of its own for {' and '.join(missing)}",
            "write OCP x.y with OpenShift Virtualization x.y",
        )


@rule("storage-class-generic", Severity.MEDIUM)
def storage_class_generic(subject: Subject) -> Iterator[Hit]:
    """Storage names no class.

    Why: storage classes differ in what they can do.
    Bad: `Any RWX class`
    Good: `ocs-storagecluster-ceph-rbd-virtualization`
    """
    field = _field(subject, "Storage")
    if field is not None and _GENERIC_STORAGE.match(field.content.flat):
        yield Hit(field.line, f"{field.content.flat!r} names no storage class", "name the class")


@rule("platform-generic", Severity.MEDIUM)
def platform_generic(subject: Subject) -> Iterator[Hit]:
    """Platform names no platform.

    Why: platforms differ in what they can do.
    Bad: `Any`
    Good: `Bare metal`
    """
    field = _field(subject, "Platform")
    if field is not None and _GENERIC_PLATFORM.match(field.content.flat):
        yield Hit(field.line, f"{field.content.flat!r} names no platform", "name it, such as Bare metal")


@rule("standard-tool-listed", Severity.MEDIUM)
def standard_tool_listed(subject: Subject) -> Iterator[Hit]:
    """A tool that every plan uses is listed.

    Why: the list is read for what is unusual.
    Bad: `- **Test Framework:** pytest`
    Good: `- **Test Framework:** Standard`
    """
    for field in subject.plan.tools:
        match = _STANDARD_TOOL.search(field.content.flat)
        if match:
            yield Hit(field.line, f"{match[0]} is a standard tool", "write Standard", matched=(match[0],))


@rule("tools-field-missing", Severity.MEDIUM)
def tools_field_missing(subject: Subject) -> Iterator[Hit]:
    """One of the three fields of testing tools is absent.

    Why: a lane or tool that nobody asked for is not there on the day.
    Bad: no CI/CD
    Good: `- **CI/CD:** N/A`
    """
    section = subject.plan.section(Part.TOOLS)
    if section is None or (subject.child and not subject.plan.tools):
        return
    present = {field.name for field in subject.plan.tools}
    for name in TOOL_FIELDS:
        if name not in present:
            yield Hit(section.line, f"no field {name}", f"add `- **{name}:** N/A`")


@rule("entry-criteria-minimum", Severity.HIGH)
def entry_criteria_minimum(subject: Subject) -> Iterator[Hit]:
    """Entry criteria lack approved requirements or an environment that can be set up; both may be unmarked.

    Why: tests of unapproved requirements are written twice.
    Bad: only `- [ ] Nodes are free`
    Good: `- [ ] Requirements are approved and merged`, `- [ ] The test environment can be set up`
    """
    section = subject.plan.section(Part.ENTRY)
    texts = [criterion.text.flat for criterion in subject.plan.entry]
    if section is None or (subject.child and not texts):
        return
    missing = [
        name
        for name, pattern in (("requirements approved", _REQUIREMENTS), ("environment set up", _ENVIRONMENT))
        if not any(pattern.search(text) for text in texts)
    ]
    if missing:
        yield Hit(section.line, f"no entry criterion: {', '.join(missing)}", "add it")


def _field(subject: Subject, name: str) -> Field | None:
    """The field of that name, unless it is absent, empty or still a placeholder: other rules report that."""
    for field in subject.plan.environment:
        if field.name == name and not is_empty(field.content) and not has_placeholder(field.content):
            return field
    return None
