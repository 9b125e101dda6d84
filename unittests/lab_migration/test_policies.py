"""Which MigrationPolicy applies, and what it changes (kubevirt sheet §5.2)."""

import pytest

from lab.apiserver.errors import ApiError
from lab.kubevirt.config import Migrations
from lab.kubevirt.kinds import POLICY, VMI
from lab.kubevirt.migration.policies import best_match, settle
from unittests.lab_migration.bed import MI, Bed

NAMESPACE = {"metadata": {"name": "default", "labels": {"team": "blue", "tier": "one"}}}


def policy(name, vmi=None, namespace=None, **spec):
    """A policy with these selectors."""
    selectors = {}
    if vmi is not None:
        selectors["virtualMachineInstanceSelector"] = vmi
    if namespace is not None:
        selectors["namespaceSelector"] = namespace
    return {"metadata": {"name": name}, "spec": {"selectors": selectors, **spec}}


def vmi(labels):
    """A VMI with these labels."""
    return {"metadata": {"labels": labels} if labels is not None else {}}


def chosen(policies, labels):
    """Name of the best match, None without one."""
    found = best_match(policies, vmi(labels), NAMESPACE)
    return None if found is None else found["metadata"]["name"]


def test_every_listed_label_must_match():
    policies = [policy("p", vmi={"app": "db", "size": "big"})]
    assert chosen(policies, {"app": "db", "size": "big", "more": "x"}) == "p"
    assert chosen(policies, {"app": "db"}) is None
    assert chosen(policies, {"app": "db", "size": "small"}) is None


def test_both_selectors_must_match():
    assert chosen([policy("p", vmi={"app": "db"}, namespace={"team": "red"})], {"app": "db"}) is None
    assert chosen([policy("p", vmi={"app": "db"}, namespace={"team": "blue"})], {"app": "db"}) == "p"


def test_most_labels_win_then_most_vmi_labels_then_the_smallest_name():
    one, two = policy("one", vmi={"app": "db"}), policy("two", vmi={"app": "db", "size": "big"})
    labels = {"app": "db", "size": "big"}
    assert chosen([one, two], labels) == "two"
    by_namespace = policy("a", namespace={"team": "blue", "tier": "one"})
    assert chosen([by_namespace, two], labels) == "two"
    mixed = policy("a", vmi={"app": "db"}, namespace={"team": "blue"})
    assert chosen([mixed, two], labels) == "two"
    assert chosen([policy("b", vmi={"app": "db"}), policy("a", vmi={"app": "db"})], labels) == "a"


def test_no_selectors_never_match_empty_ones_always_do():
    assert chosen([{"metadata": {"name": "p"}, "spec": {}}], {"app": "db"}) is None
    assert chosen([policy("p")], {"app": "db"}) == "p"


def test_the_namespace_counts_only_for_vmis_that_have_labels():
    policies = [policy("p", namespace={"team": "red"})]
    assert chosen(policies, {}) is None
    assert chosen(policies, None) == "p"  # the quirk: without labels, no selector is looked at


def test_a_policy_overrides_what_it_names_and_nothing_else():
    cluster = Migrations(completion_timeout_per_gib=20, parallel_per_cluster=7)
    rules = policy("p", vmi={"app": "db"}, bandwidthPerMigration="64Mi", completionTimeoutPerGiB=5)
    settings = settle(cluster, [rules], vmi({"app": "db"}), NAMESPACE)
    assert settings.policy == "p"
    assert settings.migrations.bandwidth == 64 * MI
    written = settings.to_json()
    assert (written["bandwidthPerMigration"], written["completionTimeoutPerGiB"]) == ("64Mi", 5)
    assert written["parallelMigrationsPerCluster"] == 7
    assert written["progressTimeout"] == 150


@pytest.mark.parametrize(
    ("spec", "post_copy", "disruption"),
    [
        ({}, False, False),
        ({"allowPostCopy": True}, True, True),
        ({"allowPostCopy": True, "allowWorkloadDisruption": False}, True, False),
        ({"allowWorkloadDisruption": True}, False, True),
        ({"allowPostCopy": False}, False, False),
    ],
)
def test_a_policy_that_knows_only_post_copy_means_disruption_too(spec, post_copy, disruption):
    settings = settle(Migrations(), [policy("p", **spec)], vmi({}), NAMESPACE)
    assert settings.migrations.allow_post_copy is post_copy
    assert settings.migrations.allow_workload_disruption is disruption


def test_without_a_match_the_clusters_own_settings_apply():
    settings = settle(Migrations(), [policy("p", vmi={"app": "db"})], vmi({"app": "web"}), NAMESPACE)
    assert settings.policy is None
    assert settings.migrations == Migrations()


def test_the_policy_is_read_once_at_hand_off():
    bed = Bed()
    bed.vmi(labels={"class": "slow"})
    bed.api.create(POLICY, policy("first", vmi={"class": "slow"}, bandwidthPerMigration="64Mi"))
    bed.migrate()
    bed.to_running()
    before = bed.state()["migrationConfiguration"]
    assert bed.state()["migrationPolicyName"] == "first"
    assert before["bandwidthPerMigration"] == "64Mi"
    bed.api.patch(POLICY, "", "first", {"spec": {"bandwidthPerMigration": "1Mi"}})
    bed.api.create(POLICY, policy("better", vmi={"class": "slow", "app": "vm"}, bandwidthPerMigration="2Mi"))
    bed.clock.advance(5)
    bed.annotate(note="touched")
    assert 25 < bed.until("Succeeded") < 35
    assert bed.state()["migrationConfiguration"] == before
    assert bed.state()["migrationPolicyName"] == "first"


def test_labels_of_the_vmi_count_as_they_are_at_hand_off():
    bed = Bed()
    bed.vmi()
    bed.api.create(POLICY, policy("p", vmi={"class": "slow"}, completionTimeoutPerGiB=7))
    bed.migrate()
    bed.clock.advance(0.3)
    bed.api.patch(VMI, "default", "vm", {"metadata": {"labels": {"class": "slow"}}})
    bed.run(bed.target(), "node-b")
    bed.clock.advance(1)
    assert bed.state()["migrationPolicyName"] == "p"


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"completionTimeoutPerGiB": -1}, "spec.completionTimeoutPerGiB", "must not be negative"),
        ({"bandwidthPerMigration": "-1Mi"}, "spec.bandwidthPerMigration", "must not be negative"),
        (
            {"maxDowntimeMs": 500},
            "spec.maxDowntimeMs",
            "maxDowntimeMs cannot be modified without enabling the MigrationStallDetection feature gate",
        ),
    ],
)
def test_bad_policies_are_refused(spec, field, message):
    bed = Bed()
    with pytest.raises(ApiError) as refusal:
        bed.api.create(POLICY, policy("p", vmi={}, **spec))
    assert refusal.value.code == 422
    assert refusal.value.details["causes"] == [{"reason": "FieldValueInvalid", "message": message, "field": field}]
    assert refusal.value.message == (
        f'admission webhook "migration-policy-validator.kubevirt.io" denied the request: {message}'
    )


def test_max_downtime_is_accepted_with_its_gate():
    bed = Bed(developerConfiguration={"featureGates": ["MigrationStallDetection"]})
    assert bed.api.create(POLICY, policy("p", vmi={}, maxDowntimeMs=500))["spec"]["maxDowntimeMs"] == 500
