"""The strategy of a custom resource: prune, default and validate by the schema of the version (sheet §5.2, §5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lab.apiserver.admission import Object
from lab.apiserver.causes import invalid_value
from lab.apiserver.custom.schemas.defaults import defaulted
from lab.apiserver.custom.schemas.pruning import pruned, unknown_fields
from lab.apiserver.custom.schemas.rules import broken_rules, has_rules
from lab.apiserver.custom.schemas.types import MISSING, Schema
from lab.apiserver.custom.schemas.validation import violations
from lab.apiserver.errors import ApiError, Cause

_BLOCKING = (
    "FieldValueRequired", "FieldValueNotSupported", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid",
)  # fmt: skip
_RULES_UNCHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


@dataclass(frozen=True, slots=True)
class CustomStrategy:
    """Rules of one version of a custom resource. `closing`: its definition is being deleted, nothing may be created."""

    schema: Schema
    closing: bool = False
    _has_rules: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_has_rules", has_rules(self.schema))

    def prepare(self, new: Object, old: Object | None) -> Object:
        """Without unknown fields, with defaults. What it shares with the old object is both already."""
        if self.closing and old is None:
            message = "create not allowed while custom resource definition is terminating"
            raise ApiError(405, "MethodNotAllowed", message, {})
        known = {} if old is None else {key: value for key, value in new.items() if old.get(key) is value}
        fresh = {key: value for key, value in new.items() if key not in known}
        prepared: Object = defaulted(self.schema, pruned(self.schema, fresh))
        return {**prepared, **known, "metadata": new["metadata"]}

    def validate(self, new: Object, old: Object | None) -> Sequence[Cause]:
        """What the schema and its rules say about it."""
        return list(self._causes(new, old))

    def unknown_fields(self, new: Object) -> Sequence[str]:
        """Paths that pruning drops."""
        return unknown_fields(self.schema, new)

    def _causes(self, new: Object, old: Object | None) -> Iterator[Cause]:
        before = MISSING if old is None else old
        wrong = list(violations(self.schema, new, "", before))
        yield from wrong
        if not self._has_rules:
            return
        if any(cause.reason in _BLOCKING for cause in wrong):
            yield invalid_value("<nil>", None, _RULES_UNCHECKED)
        else:
            yield from broken_rules(self.schema, new, "", before)
