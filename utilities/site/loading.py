"""Site files: YAML in, `Site` out, or one `SiteError` that names file, line and field of everything wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from pydantic import ValidationError

from utilities.errors import SiteError
from utilities.site.model import Site

_NEXT = "correct the site file; every field is described in utilities/site/model.py"


def load_site(path: Path) -> Site:
    """Read and validate one site file. Raises SiteError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError(
            f"{path}: cannot read the site file: {error}", next_step="name a readable YAML file: --site=FILE"
        ) from error
    root, data = _parse(path, text)
    try:
        return Site.model_validate(data, context={"directory": path.resolve().parent})
    except ValidationError as error:
        found = [
            f"{path}:{_line(root, wrong['loc'])}: {_field(wrong['loc'])}: {_text(wrong['msg'])}"
            for wrong in error.errors(include_url=False)
        ]
        raise SiteError("\n".join(found), next_step=_NEXT) from error


def _parse(path: Path, text: str) -> tuple[yaml.Node, object]:
    """The file twice: as nodes, which know their lines, and as plain data."""
    try:
        root, data = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SiteError(f"{path}:{line}: not YAML: {error.problem}", next_step=_NEXT) from error
    except yaml.YAMLError as error:
        raise SiteError(f"{path}:1: not YAML: {error}", next_step=_NEXT) from error
    if not isinstance(root, yaml.MappingNode):
        raise SiteError(f"{path}:1: a site file is a mapping of fields", next_step=_NEXT)
    twice = [f"{path}:{line}: {_field(where)}: given twice" for where, line in _duplicates(root, ())]
    if twice:
        raise SiteError("\n".join(twice), next_step=_NEXT)
    return root, data


def _duplicates(node: yaml.Node, where: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Keys given twice in one mapping, with their line: YAML's loader silently keeps the last."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _duplicates(item, where)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                yield (*where, name), key.start_mark.line + 1
            seen.add(name)
            yield from _duplicates(value, (*where, name))


def _line(root: yaml.Node, loc: Sequence[str | int]) -> int:
    """Line of the field at `loc`, or of the nearest enclosing one that the file has (a missing field has none)."""
    node, line = root, root.start_mark.line
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            entry = next(((key, value) for key, value in node.value if key.value == str(step)), None)
            if entry is None:
                break
            line, node = entry[0].start_mark.line, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
    return int(line) + 1


def _field(loc: Sequence[str | int]) -> str:
    return ".".join(map(str, loc)) or "the file"


def _text(message: str) -> str:
    return {"Extra inputs are not permitted": "unknown field", "Field required": "missing"}.get(
        message, message.removeprefix("Value error, ")
    )
