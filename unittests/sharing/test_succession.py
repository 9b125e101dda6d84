"""Runs that are killed, at every request they make, and those who take back what they have left."""

import pytest

from utilities.clients import LEASES, NODES
from utilities.errors import TurnLost, UndoFailed, WaitTimeout
from utilities.reversible import Reversible, annotation
from utilities.sharing.census import Census, journal_name
from utilities.sharing.holders import Mode
from utilities.watching import Waits

from .conftest import ALL_CHANGED, CONFIG_MAPS, SETTINGS, changed
from .mortal import Life, every_death


def taken_back(site, heir, run):
    """Wait until a run is gone, then take back what it has changed."""
    heir.look()
    site.clock.wait(60)
    census, gone = heir.look()
    assert gone <= {run}
    return heir.take_back(run, census) if gone else None


def left_by(site, run="run"):
    """Have a run killed that has changed everything."""
    life = Life(ALL_CHANGED)
    assert site.killed(run, life, lambda: changed(site, run, life))
    assert [kept.entry.what.partition(":")[0] for kept in Census.taken(site.rest, "default").entries(run).values()] == [
        "Node node-1", "ConfigMap default/settings", "ConfigMap default/settings", "ConfigMap default/made",
    ]  # fmt: skip


def test_a_run_that_ends_leaves_nothing_not_even_its_journal(site):
    before = site.state()
    changed(site, "run", Life())
    assert site.state() == before


def test_a_run_killed_at_any_request_leaves_nothing_once_it_is_succeeded(site, names):
    before = site.state()
    for life, story in every_death(lambda life: changed(site, next(names), life)):
        run = next(names)
        assert site.killed(run, life, lambda run=run, life=life: changed(site, run, life)), story
        taken_back(site, site.heir(), run)
        assert site.state() == before, story


def test_a_successor_killed_at_any_request_is_succeeded(site, names):
    before = site.state()

    def succeed(life):
        run = next(names)
        left_by(site, run)
        heir = site.heir("first", life)
        return site.killed("first", life, lambda: taken_back(site, heir, run))

    for life, story in every_death(succeed):
        assert succeed(life), story
        census = Census.taken(site.rest, "default")
        for run in census.journals:
            taken_back(site, site.heir("second"), run)
        assert site.state() == before, story


def test_what_is_taken_back_is_told_last_change_first(site):
    left_by(site)
    heir = site.heir()
    found = taken_back(site, heir, "run")
    assert (
        heir.told
        == [str(found)]
        == [
            "taken back from run run: ConfigMap default/made; ConfigMap default/settings; ConfigMap default/settings; "
            "Node node-1"
        ]
    )


def test_of_two_successors_one_does_the_work(site):
    left_by(site)
    first, second = site.heir("first"), site.heir("second", Life())
    for heir in (first, second):
        heir.look()
    site.clock.wait(60)
    seen = [heir.look() for heir in (first, second)]
    assert [gone for _, gone in seen] == [{"run"}] * 2
    others = []
    first.rest.life.meanwhile = lambda _: others.append(second.take_back("run", seen[1][0]))
    found = first.take_back("run", seen[0][0])
    winners = [each for each in [found, *others] if each is not None]
    assert [len(each.done) for each in winners] == [4]
    assert not [doing for doing in (first, second)[found is not None].rest.life.requests if doing.startswith("PATCH")]


def test_a_run_that_is_alive_is_left_alone(site):
    with site.reversible("run", Life()) as changes:
        changes.apply(annotation(SETTINGS, "ours", "1", "limits"))
        heir = site.heir()
        heir.look()
        site.clock.wait(59)
        changes._journal.renew()
        site.clock.wait(59)
        census, gone = heir.look()
        assert gone == set()
        assert not heir.settled("run"), "whatever a lock says"
        changes._journal.renew()
        assert heir.take_back("run", census) is None, "it was heard of since it was looked at"


def test_what_others_have_changed_meanwhile_stays(site):
    left_by(site)
    others = {"metadata": {"annotations": {"others": "2"}}, "data": {"b": "d"}}
    site.rest.patch(CONFIG_MAPS, "settings", others, "default")
    site.rest.patch(NODES, "node-1", {"metadata": {"labels": {"others": "2"}}})
    taken_back(site, site.heir(), "run")
    settings = site.rest.get(CONFIG_MAPS, "settings", "default")
    assert settings["metadata"]["annotations"] == {"theirs": "1", "others": "2"}
    assert settings["data"] == {"a": "b", "b": "d"}
    node = site.rest.get(NODES, "node-1")
    assert node["metadata"]["labels"]["others"] == "2"
    assert "unschedulable" not in node["spec"]


def test_nobody_enters_a_turn_before_its_dead_holder_is_succeeded(site):
    before = site.state()
    site.lock("run", site.heir("run")).enter(Mode.EXCLUSIVE, within=0)
    left_by(site)
    heir = site.heir("next")
    lock = site.lock("next", heir)
    with pytest.raises(WaitTimeout, match="held or waited for by run"):
        lock.enter(Mode.EXCLUSIVE, within=30)
    lock.enter(Mode.EXCLUSIVE, within=60)
    assert {key: value for key, value in site.state().items() if key[0] != "Lease"} == before
    assert len(heir.told) == 1
    lock.leave()
    assert site.state() == before


def replaced_settings(site):
    """Others delete the settings and make new ones."""
    site.rest.delete(CONFIG_MAPS, "settings", "default")
    site.rest.create(CONFIG_MAPS, site.settings(), "default")


def test_what_cannot_be_taken_back_is_named_with_its_repair_and_stays_visible(site):
    left_by(site)
    replaced_settings(site)
    found = taken_back(site, site.heir(), "run")
    assert found.done == ("ConfigMap default/made", "Node node-1")
    assert str(found).splitlines()[1] == (
        'not taken back from run run: ConfigMap default/settings: {"metadata": {"annotations": {}}} where a test has '
        'set {"metadata": {"annotations": {"ours": "1"}}} (ConfigMap default/settings is another object than the one '
        "that was changed)"
    )
    entries = Census.taken(site.rest, "default").entries("run")
    assert [kept.problem for kept in entries.values()] == [kept.problem for kept in found.left]


def test_a_turn_that_cannot_be_had_clean_is_refused_at_once_and_to_all(site):
    site.lock("run", site.heir("run")).enter(Mode.SHARED, within=0)
    left_by(site)
    replaced_settings(site)
    lock = site.lock("next", site.heir("next"))
    for _ in range(2):
        with pytest.raises(UndoFailed, match="not as it was before run run, which is gone") as refused:
            lock.enter(Mode.EXCLUSIVE, within=600)
        assert f"then delete the Lease default/{journal_name('run')}" in refused.value.next_step
        assert site.clock.time < 1070
    with pytest.raises(UndoFailed):
        site.lock("other", site.heir("other")).enter(Mode.EXCLUSIVE, within=600)
    site.rest.delete(LEASES, journal_name("run"), "default")
    lock.enter(Mode.EXCLUSIVE, within=600)


def test_a_run_that_was_taken_for_dead_neither_changes_nor_takes_back_anything(site):
    def resumed():
        with Reversible(Waits(site.rest, float), deletion=30, journal=site.journal("run", Life())) as changes:
            changes.apply(annotation(SETTINGS, "ours", "1", "limits"))
            taken_back(site, site.heir(), "run")
            site.rest.patch(CONFIG_MAPS, "settings", {"metadata": {"annotations": {"ours": "next run's"}}}, "default")
            with pytest.raises(TurnLost, match="has taken everything back"):
                changes.apply(annotation(SETTINGS, "ours", "3", "limits"))

    with pytest.raises(UndoFailed, match="this run was taken for dead") as late:
        resumed()
    assert isinstance(late.value.__cause__, TurnLost)
    assert site.rest.get(CONFIG_MAPS, "settings", "default")["metadata"]["annotations"]["ours"] == "next run's"


def test_an_entry_of_an_unknown_kind_stays(site):
    left_by(site)
    found = taken_back(site, site.heir(undoers={}), "run")
    assert len(found.left) == 4
    assert "does not know how to take back a restore" in str(found)


def test_a_journal_that_its_successor_could_not_finish_is_not_the_runs_own_again(site):
    def resumed():
        with Reversible(Waits(site.rest, float), deletion=30, journal=site.journal("run", Life())) as changes:
            changes.apply(annotation(SETTINGS, "ours", "1", "limits"))
            taken_back(site, site.heir(undoers={}), "run")

    with pytest.raises(UndoFailed, match="this run was taken for dead"):
        resumed()
    assert site.rest.get(CONFIG_MAPS, "settings", "default")["metadata"]["annotations"]["ours"] == "1"
    assert site.heir("next").settled("run"), "nobody is on it, so nobody is waited for"
    assert "ours" not in site.rest.get(CONFIG_MAPS, "settings", "default")["metadata"]["annotations"]
