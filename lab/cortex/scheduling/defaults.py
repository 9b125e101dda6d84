"""The Pipeline objects that a deployment comes with (Cortex sheet §8)."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from lab.cortex.scheduling.revisions import LATEST
from lab.cortex.scheduling.weighers.migration_slot import NAME


def default_pipelines(revision: str = LATEST) -> list[dict[str, Any]]:
    """`metadata` and `spec` of each. A chart older than the steering weigher does not name it.

    The chart's `createHistory: false` of the twins is left out: the schema does not know the field.
    """
    pipelines = deepcopy(_read())
    if revision == "R0":
        for pipeline in pipelines:
            spec = pipeline["spec"]
            spec["weighers"] = [each for each in spec["weighers"] if each["name"] != NAME]
    return pipelines


@cache
def _read() -> list[dict[str, Any]]:
    text = files(__package__).joinpath("pipelines.yaml").read_text(encoding="utf-8")
    pipelines: list[dict[str, Any]] = yaml.safe_load(text)["pipelines"]
    return pipelines
