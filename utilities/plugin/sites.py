"""Which site a run talks to: the embedded lab, started for it, or the cluster of a site file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from utilities.plugin import labprocess
from utilities.plugin.run import RUN, facts_of_lab
from utilities.site import Site, load_site


def lab_choice(config: pytest.Config) -> labprocess.LabChoice:
    """The lab that the command line asks for."""
    option = config.option
    return labprocess.LabChoice(option.lab_profile, tuple(option.lab_fault), option.lab_seed, option.lab_time_scale)


@contextmanager
def open_site(config: pytest.Config) -> Iterator[Site]:
    """The site of this process; a lab ends with it."""
    if config.option.site != "lab":
        yield load_site(Path(config.option.site))
        return
    directory = config.stash[RUN].results / f"lab-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    with labprocess.running(lab_choice(config), directory) as path:
        yield load_site(path)


def preflight(config: pytest.Config) -> None:
    """Raise SiteError when the site file is wrong, nobody answers, or the product is not there."""
    from utilities.clients import connect

    site = load_site(Path(config.option.site))
    with connect(site) as clients:
        config.stash.setdefault(_FACTS, {}).update(
            {"Target": site.name, **{name: value for name, value in clients.versions().items() if value}}
        )


def facts(config: pytest.Config) -> dict[str, str]:
    """What the report says about the site."""
    if config.option.site == "lab":
        return facts_of_lab(vars(config.option))
    return {"Site file": str(config.option.site), **config.stash.get(_FACTS, {})}


_FACTS: pytest.StashKey[dict[str, str]] = pytest.StashKey()
