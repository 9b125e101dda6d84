"""Migrations as a user requests them, and how the wait for their phases ends."""

from types import SimpleNamespace

import pytest

from utilities.kubevirt.limits import outbound_per_node, per_cluster
from utilities.kubevirt.migrations import MigrationsOf, RequestedMigration
from utilities.kubevirt.roles import bound

from .acting import MemoryRest, Remembering


def in_phase(phase):
    return {"metadata": {"name": "m"}, "status": {"phase": phase} if phase else {}}


@pytest.fixture
def waited():
    """A migration, and what its last wait was given."""
    given = {}

    def wait_for(watched, goal, **named):
        given.update(named, goal=goal, watched=watched)
        return in_phase("Succeeded")

    actor = Remembering(MemoryRest(), waits=SimpleNamespace(wait_for=wait_for))
    return RequestedMigration(actor, "qa", "m", "uid-m"), given


def test_a_request_names_machine_node_and_annotations():
    actor = Remembering(MemoryRest())
    started = MigrationsOf(actor, "qa", "vm").start(to="two", annotations={"a": "b"})
    ((_, plural, body, namespace),) = actor.rest.written
    assert (plural, namespace) == ("virtualmachineinstancemigrations", "qa")
    assert body["spec"] == {"vmiName": "vm", "addedNodeSelector": {"kubernetes.io/hostname": "two"}}
    assert body["metadata"] == {"generateName": "vm-move-", "namespace": "qa", "annotations": {"a": "b"}}
    assert (started.name, started.uid) == ("vm-move-x", "uid-1")


def test_a_plain_request_says_no_more_than_it_must():
    actor = Remembering(MemoryRest())
    MigrationsOf(actor, "qa", "vm").start()
    ((_, _, body, _),) = actor.rest.written
    assert body == {"metadata": {"generateName": "vm-move-", "namespace": "qa"}, "spec": {"vmiName": "vm"}}


def test_its_end_is_either_of_two_phases(waited):
    migration, given = waited
    assert migration.wait_final() == "Succeeded"
    assert [given["goal"](in_phase(phase)) for phase in ("Running", "Succeeded", "Failed", "")] == [
        False,
        True,
        True,
        False,
    ]
    assert given["losing"](in_phase("Failed")) is None
    assert given["losing"](None) == "it was deleted"
    assert given["within"] == 720


@pytest.mark.parametrize(("wanted", "lost"), [("Running", "it ended Failed"), ("Failed", None)])
def test_a_phase_is_lost_when_the_migration_ends_instead(waited, wanted, lost):
    migration, given = waited
    migration.wait_phase(wanted)
    assert given["losing"](in_phase("Failed")) == lost
    assert given["losing"](in_phase("Scheduling")) is None
    assert not given["goal"](None)


def test_an_abort_deletes_this_migration_and_no_other(waited):
    gone = []
    migration, _ = waited
    migration.actor.waits.wait_gone = lambda watched, **named: gone.append((watched.name, named["uid"]))
    migration.abort()
    written = ("delete", "virtualmachineinstancemigrations", "m", "qa", "uid-m")
    assert migration.actor.rest.written == [written]
    assert gone == [("m", "uid-m")]


STATED = {"parallelOutboundMigrationsPerNode": 3, "parallelMigrationsPerCluster": 7}


@pytest.mark.parametrize(("migrations", "node", "cluster"), [(None, 2, 5), ({}, 2, 5), (STATED, 3, 7)])
def test_limits_are_the_stated_ones_or_the_products(migrations, node, cluster):
    configuration = {} if migrations is None else {"migrations": migrations}
    stated = {"spec": {"configuration": configuration}}
    rest = MemoryRest({("kubevirts", "kubevirt-kubevirt-hyperconverged"): stated})
    assert (outbound_per_node(Remembering(rest)), per_cluster(Remembering(rest))) == (node, cluster)


def test_a_role_is_bound_in_one_namespace_for_a_while():
    actor = Remembering(MemoryRest())
    with bound(actor, "qa", "kubevirt.io:migrate", "tester"):
        ((_, made),) = actor.changes
    assert (made.namespace, made.body["metadata"]["name"]) == ("qa", "tester-kubevirt-io-migrate")
    assert made.body["roleRef"]["name"] == "kubevirt.io:migrate"
    assert [subject["name"] for subject in made.body["subjects"]] == ["tester"]
    assert [what for what, _ in actor.changes] == ["made", "undone"]
