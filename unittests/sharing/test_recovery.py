"""Everything that dead runs have left on a cluster, taken back by one who looks around there."""

import json

import pytest

from utilities.clients import LEASES
from utilities.errors import SiteError
from utilities.recovery import recovered
from utilities.reversible import annotation
from utilities.sharing.census import Census
from utilities.sharing.holders import NOTE, Mode
from utilities.sharing.journal import RunJournal
from utilities.sharing.session import Sharing
from utilities.watching import Waits

from .conftest import ALL_CHANGED, SETTINGS, changed
from .mortal import Life


@pytest.fixture
def sharing(site):
    """Somebody on the cluster who has no tests."""
    made = Sharing(Waits(site.rest, float), "default", who="somebody")
    made.succession = site.heir("somebody")
    return made


def left_by(site, run):
    """Have a run killed that has changed everything."""
    life = Life(ALL_CHANGED)
    assert site.killed(run, life, lambda: changed(site, run, life))


def test_a_clean_cluster_is_left_alone_at_once(site, sharing):
    before = site.state()
    assert recovered(sharing) == ()
    assert (site.state(), site.clock.time) == (before, 1000)


def test_it_waits_until_everybody_was_heard_of_or_not_for_the_duration(site, sharing):
    left_by(site, "dead")
    said = []
    with site.reversible("alive", Life()) as changes:
        changes.apply(annotation(SETTINGS, "alive", "1", "limits"))
        site.clock.meanwhile = lambda: changes._journal.renew() if site.clock.time == 1020 else None
        (found,) = recovered(sharing, say=said.append)
        assert (found.run, len(found.done), found.left) == ("dead", 4, ())
        assert site.clock.time == 1060
        assert said == ["waiting up to 60 s to see whether they are alive: alive, dead"]
        assert set(Census.taken(site.rest, "default").journals) == {"alive"}


def test_once_all_are_heard_of_nobody_waits_longer(site, sharing):
    with site.reversible("alive", Life()) as changes:
        changes.apply(annotation(SETTINGS, "alive", "1", "limits"))
        site.clock.meanwhile = changes._journal.renew
        assert recovered(sharing) == ()
        assert site.clock.time == 1001


def test_a_run_that_is_certainly_dead_is_not_waited_for_and_leaves_its_locks(site, sharing):
    before = site.state()
    site.lock("dead", site.heir("dead")).enter(Mode.EXCLUSIVE, within=0)
    left_by(site, "dead")
    with site.reversible("other", Life()) as changes:
        changes.apply(annotation(SETTINGS, "others", "1", "limits"))
        assert [found.run for found in recovered(sharing, ["dead"])] == ["dead"]
        census = Census.taken(site.rest, "default")
        assert (set(census.journals), set(census.locks), site.clock.time) == ({"other"}, set(), 1000)
    assert site.state() == before


def test_a_name_that_nobody_has_is_refused_with_those_that_there_are(site, sharing):
    left_by(site, "dead")
    with pytest.raises(SiteError, match="no run called daed has anything here; there are: dead"):
        recovered(sharing, ["daed"])


def test_a_run_that_another_one_takes_back_is_left_to_it_unless_that_is_dead_as_well(site, sharing):
    before = site.state()
    left_by(site, "dead")
    life = Life(ends_at=4)
    heir = site.heir("heir", life)
    census, _ = site.heir("anybody").look()
    assert site.killed("heir", life, lambda: heir.take_back("dead", census))
    with pytest.raises(SiteError, match="run dead is being taken back by heir"):
        recovered(sharing, ["dead"])
    recovered(sharing, ["dead", "heir"])
    assert site.state() == before


def test_a_run_that_another_one_takes_back_is_waited_for(site, sharing):
    before = site.state()
    left_by(site, "dead")
    other = site.journal("dead", Life())
    (lease,) = Census.taken(site.rest, "default").journals.values()
    other = RunJournal.claimed(lease, other.file, "other")

    def go_on():
        if site.clock.time < 1100:
            other.renew()
        else:
            other.close()
            site.heir("other").take_back("dead", Census.taken(site.rest, "default"))
            site.clock.meanwhile = lambda: None

    site.clock.meanwhile = go_on
    assert recovered(sharing) == ()
    assert (site.state(), site.clock.time) == (before, 1100)


def test_a_change_that_only_dead_runs_rely_on_is_taken_back_too(site, sharing):
    before = site.state()
    step = annotation(SETTINGS, "gate", "on", "switch a gate").prepare(site.rest)
    site.rest.create(LEASES, {"metadata": {
        "name": "migration-test-plans-gate-users",
        "annotations": {NOTE: json.dumps({"undo": step.undo.to_json(), "memo": {"gates": []}}),
                        "migration-test-plans/shared": json.dumps({"dead": "t"})},
    }}, "default")  # fmt: skip
    step.make()
    followed = []
    sharing.undoers["gate"] = followed.append
    (found,) = recovered(sharing, ["dead"])
    assert str(found) == "taken back from run dead: gate"
    assert followed == [{"gates": []}]
    assert site.state() == before


def test_what_is_no_journal_is_an_error_of_the_site(site, sharing):
    left_by(site, "dead")
    (lease,) = Census.taken(site.rest, "default").journals.values()
    body = {"metadata": {"annotations": {NOTE: "[]"}}}
    site.rest.patch(LEASES, lease["metadata"]["name"], body, "default")
    with pytest.raises(SiteError, match="is not a journal"):
        recovered(sharing, ["dead"])
