"""`stp new`: start a plan, or a child plan, in the form of the current template.

Exit status: 0, or 2 when the file is there already or cannot be written.
"""

import argparse
from pathlib import Path

from utilities.stp.drafting import Draft, draft, prefix_of
from utilities.stp.errors import StpError
from utilities.stp.output.report import GOOD
from utilities.stp.rules.family import PARENT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument(
        "path", type=Path, metavar="PATH", help="the file to write, such as stps/sig-virt/disk-growth.md"
    )
    parser.add_argument("--title", required=True, help="name of the feature")
    parser.add_argument("--sig", help="owning SIG (default: the folder's name, when it begins with sig-)")
    parser.add_argument(
        "--child", action="store_true", help=f"the share of one SIG; its parent {PARENT} lies beside it"
    )


def run(chosen: argparse.Namespace) -> int:
    """Write the draft; returns the exit status.  Raises StpError when that is not possible; nothing is overwritten."""
    path: Path = chosen.path
    title = " ".join(chosen.title.split())
    if path.suffix != ".md":
        raise StpError(f"{path}: a plan is a Markdown file", next_step=f"name it {path / 'plan.md'} or {path}.md")
    if not title:
        raise StpError("the title is empty", next_step="name the feature")
    if chosen.child and not (path.parent / PARENT).is_file():
        raise StpError(
            f"{path.parent / PARENT}: no parent plan", next_step="write the parent first, in the same folder"
        )
    wanted = Draft(title, prefix_of(path.stem), chosen.sig or _sig(path, child=chosen.child), chosen.child)
    _write(path, draft(wanted))
    print(f"{path}: written. Replace what stands in brackets, then: stp lint {path}")
    if chosen.child:
        print(f"List it in {path.parent / PARENT}: - **Child STPs:** [{path.stem}]({path.name})")
    return GOOD


def _sig(path: Path, *, child: bool) -> str | None:
    """`sig-network` of `stps/sig-network/plan.md`; a child plan is named after its SIG."""
    names = [path.stem] if child else []
    return next((name for name in (*names, *(each.name for each in path.parents)) if name.startswith("sig-")), None)


def _write(path: Path, text: str) -> None:
    if path.exists():
        raise StpError(f"{path}: is there already", next_step="name another file; nothing was changed")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:  # not even a file that came up a moment ago
            file.write(text)
    except OSError as error:
        raise StpError(f"{path}: cannot write: {error.strerror or error}", next_step="check the path") from error
