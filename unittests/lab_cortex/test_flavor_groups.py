"""Flavor groups as the Knowledge holds them (cortex sheet §1.6)."""

from dataclasses import dataclass, field

import pytest

from lab.cortex.flavor_groups import GroupsUnknownError, features_of, flavor_groups, group_of, learn
from lab.cortex.kinds import KNOWLEDGE
from unittests.lab_cortex.cluster import Cluster


@dataclass
class Flavor:
    name: str
    vcpus: int
    ram: int
    disk: int = 0
    extra_specs: dict = field(default_factory=dict)


def grouped(name, vcpus, ram, group="g1"):
    return Flavor(name, vcpus, ram, 10, {"quota:hw_version": group})


FLAVORS = (
    grouped("small", 2, 8192),
    grouped("large", 8, 32768),
    grouped("other", 1, 1024, "g0"),
    grouped("wide", 2, 1024, "g0"),
    Flavor("payg", 1, 1024),
)


def test_features_are_sorted_and_flavors_largest_first():
    g0, g1 = features_of(FLAVORS)
    assert (g0["name"], g1["name"]) == ("g0", "g1")
    assert [flavor["name"] for flavor in g1["flavors"]] == ["large", "small"]
    assert (g1["largestFlavor"]["name"], g1["smallestFlavor"]["name"]) == ("large", "small")
    assert g1["largestFlavor"] == {
        "name": "large", "vcpus": 8, "memoryMB": 32768, "diskGB": 10, "extraSpecs": {"quota:hw_version": "g1"},
    }  # fmt: skip


def test_one_ratio_or_its_range():
    g0, g1 = features_of(FLAVORS)
    assert (g1["ramCoreRatio"], "ramCoreRatioMin" in g1) == (4096, False)
    assert (g0["ramCoreRatioMin"], g0["ramCoreRatioMax"], "ramCoreRatio" in g0) == (512, 1024, False)
    assert [flavor["name"] for flavor in g0["flavors"]] == ["wide", "other"]  # as large: more cores first


def test_what_was_learnt_is_read_back():
    api = Cluster().api
    learn(api, FLAVORS)
    groups = flavor_groups(api)
    group, flavor = group_of(groups, "small")
    assert (group.name, flavor.vcpus, flavor.memory) == ("g1", 2, 8 * 2**30)
    assert group_of(groups, "payg") is None
    status = api.get(KNOWLEDGE, "", "flavor-groups")["status"]
    assert (status["rawLength"], status["conditions"][0]["reason"]) == (2, "KnowledgeExtracted")


def test_learning_again_replaces():
    api = Cluster().api
    learn(api, FLAVORS)
    learn(api, FLAVORS[:1])
    [group] = flavor_groups(api)
    assert [flavor.name for flavor in group.flavors] == ["small"]


def test_nothing_is_known_without_it():
    api = Cluster().api
    with pytest.raises(GroupsUnknownError, match=r'knowledges\.cortex\.cloud "flavor-groups" not found'):
        flavor_groups(api)
    api.create(KNOWLEDGE, {"metadata": {"name": "flavor-groups"}, "spec": {"schedulingDomain": "nova"}})
    with pytest.raises(GroupsUnknownError, match="not ready"):
        flavor_groups(api)
