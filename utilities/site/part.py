"""What every part of a site file is: immutable, and without fields it does not know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationInfo

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", max_length=253)]
"""Name of a Kubernetes object."""


class Part(BaseModel):
    """A mapping of the site file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _existing(value: Path, info: ValidationInfo) -> Path:
    directory = info.context["directory"] if info.context else Path()
    path = Path(directory) / value.expanduser()
    if not path.is_file():
        raise ValueError(f"no such file: {path}")
    return path


ExistingFile = Annotated[Path, AfterValidator(_existing)]
"""A file; a relative path starts at the site file's directory, `~` is the home directory."""
