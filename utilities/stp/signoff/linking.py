"""Links from the page to files, such that page and results can be moved together."""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Linker:
    """Addresses relative to the folder that the page is written to."""

    folder: Path

    def to(self, path: Path) -> str:
        """The relative address of a file or folder."""
        return quote(Path(os.path.relpath(path.resolve(), self.folder.resolve())).as_posix())
