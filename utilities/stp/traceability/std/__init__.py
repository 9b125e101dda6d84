"""Rules about test descriptions (STD), by what the source alone tells.  Source: sheet §4.3."""

from utilities.stp.rule import Rule
from utilities.stp.traceability.std import links, marking, parametrizing, sections, states, wording
from utilities.stp.traceability.std.described import Described

__all__ = ["RULES", "Described"]

RULES: tuple[Rule[Described], ...] = (
    sections.docstring_missing,
    sections.section_missing,
    sections.section_name,
    sections.description_missing,
    sections.steps_unnumbered,
    sections.expected_many,
    wording.negative_unmarked,
    links.plan_link_missing,
    links.plan_link_dead,
    states.stub_collected,
    states.implemented_off,
    marking.markers_unconverted,
    marking.marker_unknown,
    parametrizing.parametrize_mismatch,
    wording.code_in_text,
    wording.resource_unnamed,
    marking.implicit_mark_written,
    marking.skip_used,
    marking.quarantine_form,
    marking.special_infra_missing,
)
