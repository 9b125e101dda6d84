"""A drain of a lab without faults: limits are kept and reached, everybody moves once."""

import pytest

from benchmarks.drain_lab import SOURCE, TARGETS, DrainLab


def placed(lab, names):
    """(UID, node) by name."""
    return {name: (lab.see(name)["metadata"]["uid"], lab.see(name)["status"]["nodeName"]) for name in names}


@pytest.mark.parametrize(("per_node", "cluster"), [(2, 5), (5, 5), (5, 3)])
def test_a_drain_keeps_its_limits_and_reaches_them(per_node, cluster):
    lab = DrainLab()
    lab.configure(parallelOutboundMigrationsPerNode=per_node, parallelMigrationsPerCluster=cluster)
    names = lab.start(8)
    before = placed(lab, names)
    assert lab.drain(SOURCE)
    after = placed(lab, names)
    assert [uid for uid, _ in after.values()] == [uid for uid, _ in before.values()]
    assert {node for _, node in after.values()} <= set(TARGETS)
    assert (lab.truth.nodes[SOURCE], lab.truth.cluster) == (min(per_node, cluster),) * 2
    assert [migration["status"]["phase"] for migration in lab.migrations()] == ["Succeeded"] * 8
    assert not any("evacuationNodeName" in lab.see(name)["status"] for name in names)


def test_two_nodes_share_the_clusters_limit():
    lab = DrainLab()
    lab.configure(parallelOutboundMigrationsPerNode=2, parallelMigrationsPerCluster=3)
    names = lab.start(4) + lab.start(4, node=TARGETS[0], name="other")
    assert lab.drain(SOURCE, TARGETS[0])
    assert {node for _, node in placed(lab, names).values()} == {TARGETS[1]}
    assert lab.truth.cluster == 3
    assert lab.truth.nodes[SOURCE] == 2
