"""Drains, traits and the operator on the lab: everything is as before once its context has ended."""

from dataclasses import replace

import pytest

from utilities.errors import ApiError, Blocked, GoalLost, NotFound, UndoFailed, WaitTimeout
from utilities.history import dig
from utilities.hypervisors import (
    EVICTIONS,
    HYPERVISORS,
    Eviction,
    Flags,
    Hypervisors,
    Operator,
    created,
    in_service,
    said,
)
from utilities.hypervisors.kinds import DEPLOYMENTS, DISABLED, EVICTING, READY
from utilities.reversible import Patch, Target


def test_a_drained_hypervisor_is_empty_and_then_back_in_service(nova, hypervisors):
    with nova.servers.created("vm", on="hv-1", count=2) as servers, hypervisors.drained("hv-1") as drain:
        assert set(drain.eviction.wait_started()["status"]["outstandingInstances"]) == {one.id for one in servers}
        assert drain.wait_ended() == "Succeeded"
        assert said(drain.wait_evicted(), READY)[1] == "Evicted"
        assert drain.eviction.outstanding() == ()
        assert nova.hosts.named("hv-1").state.startswith("disabled (Hypervisor CRD: spec.maintenance=manual), up, 0")
        with pytest.raises(Blocked, match="hv-1 is in maintenance already"), hypervisors.drained("hv-1"):
            pytest.fail("it was asked for twice")
    assert in_service(hypervisors.get("hv-1"))
    assert nova.hosts.named("hv-1").enabled
    assert "maintenanceReason" not in hypervisors.get("hv-1")["spec"]
    with pytest.raises(NotFound):
        drain.eviction.get()


def test_a_drain_is_ended_early_and_when_its_block_fails(nova, hypervisors):
    with nova.servers.created("vm", on="hv-1", count=2), hypervisors.drained("hv-1") as drain:
        drain.eviction.wait_started()
        drain.end()
        drain.eviction.wait_gone()
        hypervisors.wait_in_service("hv-1")

    def fail():
        with hypervisors.drained("hv-1"):
            raise RuntimeError("the test went wrong")

    with pytest.raises(RuntimeError):
        fail()
    assert in_service(hypervisors.get("hv-1"))


def test_a_hypervisor_that_the_operator_leaves_is_brought_back_by_hand(admin, nova, operator, hasty):
    def leave():
        with operator.stopped(), Hypervisors(hasty, nova).drained("hv-2"):
            body = {"status": "disabled"}
            nova.cloud.compute("PUT", f"/os-services/{nova.hosts.named('hv-2').service_id}", body=body)
            admin.rest.patch(HYPERVISORS, "hv-2", disabled(), subresource="status")

    def disabled():
        told = admin.rest.get(HYPERVISORS, "hv-2")["status"]["conditions"]
        said_so = [{**one, "status": "True"} if one["type"] == DISABLED else one for one in told]
        return {"status": {"conditions": said_so}}

    with pytest.raises(UndoFailed, match="the operator does not bring hypervisor hv-2 back into service"):
        leave()
    assert nova.hosts.named("hv-2").enabled
    Hypervisors(admin, nova).wait_in_service("hv-2")  # now that the operator is there again, it does


def test_an_eviction_of_ones_own_waits_for_the_hypervisor_to_be_disabled(admin, hasty):
    with created(admin, "hv-1") as eviction:
        found = eviction.wait(
            lambda one: said(one, "PreflightChecksSucceeded")[2] == "hypervisor not disabled",
            expecting="waiting",
            within=60,
        )
        assert dig(found, "spec", "hypervisor") == "hv-1"
        with pytest.raises(WaitTimeout, match=r"not over within 0\.2 s; last seen Running, 0 outstanding"):
            Eviction(hasty, eviction.name).wait_ended(within=0.2)
    with pytest.raises(WaitTimeout, match="never seen"):
        Eviction(hasty, eviction.name).wait_ended(within=0.2)
    with pytest.raises(ApiError, match="at least 1 chars long"), created(admin, "hv-1", reason=""):
        pytest.fail("it was accepted")
    assert not admin.rest.list(EVICTIONS)["items"]


def test_a_deleted_eviction_is_a_lost_goal(admin):
    def delete_it(_):
        eviction.delete()
        return False

    with created(admin, "hv-1") as eviction, pytest.raises(GoalLost, match="it was deleted, waiting for something"):
        eviction.wait(delete_it, expecting="something", within=60)


def test_traits_reach_placement_and_the_status(nova, hypervisors):
    before = hypervisors.traits("hv-1")
    host = nova.hosts.named("hv-1")
    with hypervisors.with_traits("hv-1", "CUSTOM_UNIT_TEST"):
        assert hypervisors.traits("hv-1") == before | {"CUSTOM_UNIT_TEST"}
        assert "CUSTOM_UNIT_TEST" in nova.traits.of(host)
    assert hypervisors.traits("hv-1") == before
    assert "CUSTOM_UNIT_TEST" not in nova.cloud.placement("GET", "/traits")["traits"]


def test_flags_are_changed_for_a_block(nova, hypervisors, operator):
    before = operator.flags()
    (pod,) = operator.pods()
    with operator.with_flags(concurrency=2, by_trait={"CUSTOM_A": 1}) as flags:
        assert operator.flags() == flags == Flags(2, {"CUSTOM_A": 1})
        assert operator.pods()[0]["metadata"]["uid"] != pod["metadata"]["uid"]
        with nova.servers.created("vm", on="hv-1", count=3), hypervisors.drained("hv-1") as drain:
            drain.wait_ended()
            first = operator.passes("hv-1")[0]
            assert (first.in_flight, first.started, first.limit) == (0, 2, 2)
        with operator.with_flags(concurrency=2, by_trait={"CUSTOM_A": 1}):
            assert operator.passes()  # the same process: nothing was to be changed
    assert operator.flags() == before


def test_a_restart_is_another_process(operator):
    (before,) = operator.pods()
    operator.restart()
    (after,) = operator.pods()
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert any(line.says("starting manager") for line in operator.log())


def test_flags_that_are_refused_end_the_process(operator):
    with operator.with_arguments("--eviction-concurrency=0", starts=False):
        crash = operator.wait_crash()
        assert crash.exit_code == 1
        assert "--eviction-concurrency must be >= 1" in crash.text
        assert len(operator.pods()) == 2  # the one before goes on
    assert len(operator.pods()) == 1

    def start():
        with operator.with_arguments("--eviction-trait-concurrency=CUSTOM_A=none"):
            pytest.fail("it started")

    with pytest.raises(GoalLost, match=r"it ended with status 1, .*invalid --eviction-trait-concurrency entry"):
        start()


def test_an_operator_without_parallel_eviction_blocks_the_test(admin, operator):
    def serial(deployment):
        (container,) = dig(deployment, "spec", "template", "spec", "containers")
        image = f"{container['image'].rpartition(':')[0]}:main"
        return {"spec": {"template": {"spec": {"containers": [{**container, "image": image}]}}}}

    section = operator.section
    target = Target(DEPLOYMENTS, section.deployment, section.namespace)
    with admin.applied(Patch(target, serial, "an older program")):
        operator.restart()
        with pytest.raises(Blocked, match="does not know --eviction-concurrency=2"), operator.with_flags(concurrency=2):
            pytest.fail("it started")
    operator.restart()


def external(admin, **stated):
    section = admin.site.hypervisor_operator.model_copy(update={"external": True, **stated})
    return Operator(replace(admin, site=admin.site.model_copy(update={"hypervisor_operator_section": section})))


def test_an_external_operator_runs_with_what_the_site_file_states(admin):
    operator = external(admin, eviction_concurrency=3, trait_concurrency={"CUSTOM_A": 1})
    assert operator.flags() == Flags(3, {"CUSTOM_A": 1})
    with operator.with_flags(concurrency=3, by_trait={"CUSTOM_A": 1}) as flags:
        assert flags.limit(["CUSTOM_A"]) == 1
    needs = "needs the hypervisor operator with --eviction-concurrency=2; on site lab full it runs with"
    with pytest.raises(Blocked, match=needs) as caught, operator.with_flags(concurrency=2):
        pytest.fail("it was changed")
    assert "--eviction-concurrency=2" in caught.value.next_step
    for change in (operator.restart, lambda: operator.stopped().__enter__()):
        with pytest.raises(Blocked, match="not ours to do"):
            change()


def test_an_operator_outside_of_the_cluster_has_no_log_and_may_not_tell_its_flags(admin):
    operator = external(admin, deployment=None, eviction_concurrency=None)
    with pytest.raises(Blocked, match="does not say with which flags"):
        operator.flags()
    with pytest.raises(Blocked, match="has no Deployment, so no pods and no log"):
        operator.log()


def test_conditions_are_told_in_words(admin, nova, hasty):
    hypervisors = Hypervisors(hasty, nova)
    assert said(hypervisors.get("hv-1"), EVICTING) == ("", "", "")
    assert hypervisors.names() == tuple(f"hv-{number}" for number in range(1, 9))
    words = r"last seen Ready \(Hypervisor is ready\), HypervisorDisabled False, Evicting absent, TraitsUpdated True"
    with pytest.raises(WaitTimeout, match=words):
        hypervisors.wait("hv-1", lambda _: False, expecting="something else", within=0.2)
