"""The traceability matrix, requirement by scenario by tests and last verdict, in the forms that `--matrix` names."""

from collections.abc import Callable, Mapping, Sequence

from utilities.stp.traceability.matrix.as_html import as_html
from utilities.stp.traceability.matrix.as_markdown import as_markdown
from utilities.stp.traceability.matrix.as_text import as_text
from utilities.stp.traceability.matrix.model import Sheet, matrix
from utilities.stp.traceability.matrix.results import Results, read_results

__all__ = ["FORMS", "Results", "Sheet", "matrix", "read_results"]

FORMS: Mapping[str, Callable[[Sequence[Sheet], Results | None], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "html": as_html,
}
