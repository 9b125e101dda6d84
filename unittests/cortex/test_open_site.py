"""A run's way to a site with Cortex: what it offers, what it is, and what was left behind there."""

from types import SimpleNamespace

import pytest

from utilities.cortex.kinds import RESERVATIONS
from utilities.cortex.pipelines import pipeline, steering
from utilities.errors import Blocked
from utilities.plugin.sites import OpenSite


@pytest.fixture
def opened(site_file):
    """The site as a run has it that was pointed to it by its file."""
    found = OpenSite(SimpleNamespace(option=SimpleNamespace(site=str(site_file), lab_shared=False)))
    yield found
    found.close()


def test_needs_of_cortex_are_counted(opened):
    opened.require({"cortex": 1, "cortex_metrics": 1})


def test_a_site_without_cortex_blocks_what_needs_one(opened, site):
    opened.__dict__["site"] = site.model_copy(update={"cortex_section": None})
    with pytest.raises(Blocked, match="site lab full has no cortex"):
        opened.require({"cortex": 1})


def test_reports_say_which_revision_it_is(opened):
    _ = opened.actors
    assert opened.observed["Cortex revision"] == "R3"


def test_what_a_run_leaves_is_told_and_what_others_leave_is_not(opened, admin):
    _ = opened.actors
    ours, theirs = f"t-{opened.run_id}-left", "t-gw0-000000-left"
    for name in (ours, theirs):
        admin.rest.create(RESERVATIONS, {"metadata": {"name": name}, "spec": {"type": "CommittedResourceReservation"}})
    with opened.cortex.pipeline(pipeline(ours, steering(0.1, 0.0))):
        opened.close()
    for name in (ours, theirs):
        admin.rest.delete(RESERVATIONS, name)
    assert opened.leftovers == (f"pipelines.cortex.cloud {ours}", f"reservations.cortex.cloud {ours}")
