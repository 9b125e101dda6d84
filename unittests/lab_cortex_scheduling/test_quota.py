"""Quota enforcement: what is counted, and when a request is rejected (Cortex sheet §7)."""

import pytest

from lab.clock import parse_timestamp
from lab.cortex.scheduling.filters.quota import QUOTA_ENFORCEMENT
from unittests.lab_cortex_scheduling.bodies import flavor, request
from unittests.lab_cortex_scheduling.objects import asked, view

NOW = parse_timestamp("2026-06-01T00:00:00Z")


def commitment(gib, used=None, **spec):
    body = {
        "projectID": "P",
        "availabilityZone": "z",
        "flavorGroupName": "G",
        "resourceType": "memory",
        "state": "confirmed",
        "amount": f"{gib}Gi",
        **spec,
    }
    status = {} if used is None else {"usedResources": {"memory": f"{used}Gi"}}
    return {"metadata": {"name": "c"}, "spec": body, "status": status}


def quota(usage=None, **limits):
    named = {f"hw_version_G_{name}": value for name, value in limits.items()}
    used = {f"hw_version_G_{name}": value for name, value in (usage or {}).items()}
    return {"metadata": {"name": "quota-P-z"}, "spec": {"quota": named}, "status": {"paygUsage": used}}


def ruled(commitments=(), quotas=(), enforce=False, hint=None, **changes):
    changes = {"availability_zone": "z", **changes}
    seen = view(commitments=commitments, quotas=quotas, now=NOW)
    answered = asked(QUOTA_ENFORCEMENT, request("a", hint=hint, **changes), seen, {"enforce": enforce})
    (count,) = answered.counts
    labels = dict(count.labels)
    assert labels.pop("mode") == ("enforce" if enforce else "shadow")
    return (*labels.values(), bool(answered.activations))


@pytest.mark.parametrize(
    ("hint", "decision"),
    [
        ("live_migrate", "accept_skipped_intent_migration"),
        ("evacuate", "accept_skipped_intent_migration"),
        ("reserve_for_failover", "accept_skipped_intent_internal"),
        ("reuse_failover_reservation", "accept_skipped_intent_internal"),
        ("reserve_for_committed_resource", "accept_skipped_intent_internal"),
        ("capacity_probe", "accept_skipped"),
    ],
)
def test_intents_that_take_nothing_new(hint, decision):
    assert ruled(quotas=[quota(ram=0)], enforce=True, hint=hint) == (decision, "", "", "", True)


def test_what_is_not_told_is_not_enforced():
    missing = "accept_skipped_missing_data"
    assert ruled(project_id="") == (missing, "", "z", "G", True)
    assert ruled(availability_zone="") == (missing, "", "", "G", True)
    assert ruled(flavor=flavor(**{"quota:hw_version": ""})) == (missing, "", "z", "", True)
    assert ruled() == ("accept_no_quota", "", "z", "G", True)


@pytest.mark.parametrize(
    ("made", "covers"),
    [
        (commitment(16), True),
        (commitment(15), False),
        (commitment(32, used=16), True),
        (commitment(32, used=17), False),
        (commitment(16, projectID="Q"), False),
        (commitment(16, availabilityZone="y"), False),
        (commitment(16, flavorGroupName="X"), False),
        (commitment(16, resourceType="cores"), False),
        (commitment(16, state="planned"), False),
        (commitment(16, state="guaranteed"), True),
        (commitment(16, startTime="2026-07-01T00:00:00Z"), False),
        (commitment(16, endTime="2026-05-01T00:00:00Z"), False),
        (commitment(16, startTime="2026-05-01T00:00:00Z", endTime="2026-07-01T00:00:00Z"), True),
    ],
)
def test_a_commitment_with_headroom_accepts(made, covers):
    expected = ("accept_cr", "ram", "z", "G", True) if covers else ("reject", "ram", "z", "G", True)
    assert ruled([made], [quota(ram=0)]) == expected


def test_the_accepted_specification_counts():
    made = commitment(4)
    made["status"]["acceptedSpec"] = commitment(16)["spec"]
    assert ruled([made], [quota(ram=0)])[0] == "accept_cr"


@pytest.mark.parametrize(
    ("limits", "usage", "resource"),
    [
        ({"ram": 16}, {}, ""),
        ({"ram": 15}, {}, "ram"),
        ({"ram": 20}, {"ram": 5}, "ram"),
        ({"cores": 3}, {}, "cores"),
        ({"cores": 4, "instances": 0}, {}, "instances"),
        ({}, {"ram": 99}, ""),
    ],
)
def test_what_is_paid_as_it_goes(limits, usage, resource):
    decision = "reject" if resource else "accept_payg"
    assert ruled([], [quota(usage, **limits)]) == (decision, resource, "z", "G", True)
    assert ruled([], [quota(usage, **limits)], enforce=True) == (decision, resource, "z", "G", not resource)


def test_memory_of_commitments_is_taken_off_the_quota():
    assert ruled([commitment(8)], [quota(ram=24)])[0] == "accept_payg"
    assert ruled([commitment(8)], [quota(ram=23)])[:2] == ("reject", "ram")
