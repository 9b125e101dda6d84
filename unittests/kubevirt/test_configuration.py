"""Cluster-wide settings are changed where the product looks, left alone when they are right, and put back."""

import pytest

from utilities.kubevirt.configuration import Configuration

from .acting import MemoryRest, Remembering

LIMITS = {"parallelMigrationsPerCluster": 5, "parallelOutboundMigrationsPerNode": 1}


def configuration(**product):
    """Settings of a site; the KubeVirt object has the limits and a strategy."""
    name = "kubevirt" if product else "kubevirt-kubevirt-hyperconverged"
    stated = {"migrations": dict(LIMITS), "evictionStrategy": "LiveMigrate"}
    objects = {("kubevirts", name): {"metadata": {"name": name}, "spec": {"configuration": stated}}}
    return Configuration(Remembering(MemoryRest(objects), product))


PLAIN = {"installed_by": "kubevirt"}


@pytest.fixture(autouse=True)
def waited(monkeypatch):
    """What each wait for the rollout expected."""
    expected = []

    def wait(actor, goal, *, expecting, since=None):
        expected.append(expecting)

    monkeypatch.setattr("utilities.kubevirt.configuration.wait_rolled_out", wait)
    return expected


def changes(settings):
    """(target, body) of each change made, and whether it was undone."""
    made = [change for what, change in settings.actor.changes if what == "made"]
    undone = [change for what, change in settings.actor.changes if what == "undone"]
    assert made == undone
    return [(str(change.target), change.body) for change in made]


@pytest.mark.parametrize(
    ("product", "target", "path"),
    [
        ({}, "HyperConverged openshift-cnv/kubevirt-hyperconverged", ("spec", "virtualization", "liveMigrationConfig")),
        (PLAIN, "KubeVirt kubevirt/kubevirt", ("spec", "configuration", "migrations")),
    ],
)
def test_limits_are_changed_where_the_product_looks_and_put_back(product, target, path, waited):
    settings = configuration(**product)
    with settings.migrations(parallelMigrationsPerCluster=2):
        assert waited == ["{'migrations': {'parallelMigrationsPerCluster': 2}}"]
    expected = {"parallelMigrationsPerCluster": 2}
    for key in reversed(path):
        expected = {key: expected}
    assert changes(settings) == [(target, expected)]
    assert waited[1:] == ["{'migrations': {'parallelMigrationsPerCluster': 5}}"]


@pytest.mark.parametrize("product", [{}, PLAIN])
def test_what_is_right_already_is_left_alone(product, waited):
    settings = configuration(**product)
    with settings.migrations(**LIMITS), settings.eviction_strategy("LiveMigrate"):
        pass
    assert (changes(settings), waited) == ([], [])


def test_a_strategy_is_put_back_too(waited):
    settings = configuration()
    with settings.eviction_strategy("None"):
        pass
    body = {"spec": {"virtualization": {"evictionStrategy": "None"}}}
    assert changes(settings) == [("HyperConverged openshift-cnv/kubevirt-hyperconverged", body)]
    assert waited == ["{'evictionStrategy': 'None'}", "{'evictionStrategy': 'LiveMigrate'}"]


def test_what_was_not_stated_is_not_stated_afterwards(waited):
    settings = configuration()
    with settings.migrations(bandwidthPerMigration="8Mi"):
        pass
    assert waited[-1] == "{'migrations': {'bandwidthPerMigration': None}}"
