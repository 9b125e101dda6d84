"""Asked by a Decision and over HTTP, the lab's Cortex tells the same; nothing of it is left."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from utilities.clients import Rest
from utilities.cortex import Request, connected_cortex
from utilities.cortex.capabilities import capabilities
from utilities.cortex.flavors import flavors_of_one_group
from utilities.cortex.kinds import DECISIONS, PIPELINES, RESERVATIONS
from utilities.cortex.objects import Host, Owner, Slot
from utilities.cortex.pipelines import Weigher, pipeline, steering, unsteered
from utilities.cortex.request import READ_ONLY
from utilities.cortex.scene import standing
from utilities.errors import ApiError, Blocked, GoalLost, NotFound
from utilities.hypervisors.kinds import HYPERVISORS

OWNER = Owner("project", "group", "flavor")
VM = "vm-1"
HOSTS = (Host("t-src", 64, allocation=16, vms=(VM,)), Host("t-slot", 32), Host("t-bare", 8))
SLOTS = (
    Slot("t-src", OWNER, "t-src", 16, expected={VM: 16}, confirmed=(VM,)),
    Slot("t-slot", OWNER, "t-slot", 24),
    Slot("t-unready", OWNER, "t-bare", 24, ready=False),
)


@pytest.fixture(scope="module")
def scene(admin):
    with standing(admin, HOSTS, SLOTS, zone="t"):
        yield


@pytest.fixture(scope="module")
def name(cortex):
    with cortex.pipeline(pipeline("t-steering", steering(0.1, 0.0))) as made:
        yield made["metadata"]["name"]


@pytest.fixture
def request_(admin, scene, name):
    large = replace(flavors_of_one_group(admin, 16 * 1024)[0], group="group")
    return Request(VM, "project", {"t-bare": 0.02, "t-slot": 0.01}, name, large, source="t-src")


@pytest.mark.parametrize("door", ["Decision", "HTTP"])
def test_both_doors_tell_the_same(cortex, request_, door):
    run = cortex.ask("a run", request_, door=door, prefix="t-")
    assert run.trouble == ""
    assert run.door == door
    assert run.steering == pytest.approx({"bare": 0.0, "slot": 0.1})
    assert run.hosts == ("slot", "bare")
    assert run.counted == {"slot_found": 1}


def test_where_nobody_knows_decisions_it_is_asked_over_http(cortex, request_):
    def unknown(*_):
        raise NotFound("no such kind", next_step="", code=404)

    rest = SimpleNamespace(list=unknown, get=cortex.actor.rest.get)
    run = replace(cortex, actor=SimpleNamespace(site=cortex.actor.site, rest=rest)).ask("a run", request_, prefix="t-")
    assert (run.door, run.trouble) == ("HTTP", "")
    assert run.boosted == {"slot"}


def test_decisions_are_deleted_again(cortex, admin, request_):
    cortex.ask("a run", request_)
    assert admin.rest.list(DECISIONS)["items"] == []


def test_scene_is_as_it_was_told(admin, scene):
    source = admin.rest.get(RESERVATIONS, "t-src")
    assert source["status"]["committedResourceReservation"]["allocations"] == {VM: "t-src"}
    unready = admin.rest.get(RESERVATIONS, "t-unready")
    assert [one["status"] for one in unready["status"]["conditions"]] == ["False"]
    assert admin.rest.get(HYPERVISORS, "t-src")["status"]["effectiveCapacity"]["memory"] == "64Gi"


def test_refusals_are_noted_in_the_run(cortex, request_):
    contradictory = replace(request_, options={**READ_ONLY, "skip_history": False})
    with pytest.raises(ApiError, match="read-only runs must not write scheduling history"):
        cortex.schedule(contradictory)
    run = cortex.ask("a run", contradictory, door="HTTP")
    assert "read-only runs must not write scheduling history" in run.trouble
    assert run.hosts == ()


def test_a_pipeline_that_cannot_become_ready_is_told_at_once(cortex, admin):
    bad = pipeline("t-bad", Weigher("kvm_binpack"))
    bad["spec"]["filters"] = [{"name": "filter_external_customer", "params": [{"key": "unknown", "floatValue": 1.0}]}]
    with pytest.raises(GoalLost, match="PipelineInitFailed"), cortex.pipeline(bad):
        pass
    assert "t-bad" not in {one["metadata"]["name"] for one in admin.rest.list(PIPELINES)["items"]}


def test_installed_pipelines_steer(cortex):
    assert {unsteered(one) for one in cortex.pipelines() if one["metadata"]["name"].startswith("kvm-")} == {""}


def test_a_step_that_cortex_does_not_know_or_cannot_use_is_told(cortex, request_):
    odd = Weigher("kvm_binpack", {"resourceWeights": {"memory": 0.0}})
    with cortex.pipeline(pipeline("t-odd", steering(0.1, 0.0), Weigher("kvm_new"), odd)) as made:
        told = cortex.ask("a run", replace(request_, pipeline="t-odd")).left_out
    assert "1 weighers failed to initialize: " in told
    assert "pipeline contains 1 unknown steps: [kvm_new]" in told
    assert unsteered(made) == told
    assert unsteered(pipeline("t-bare")) == "it does not name the step kvm_cr_migration_slot"
    assert unsteered(pipeline("t-unseen", steering(0.1, 0.0))) == "Cortex has not said whether it knows all steps"


def test_what_a_site_offers(cortex):
    assert capabilities(cortex) == {"cortex": 1, "cortex_metrics": 1}
    assert capabilities(replace(cortex, told=None)) == {"cortex": 1, "cortex_metrics": 0}


def test_where_nobody_answers_nothing_is_offered(cortex):
    with pytest.raises(Blocked, match=r"no Cortex answers at http://127\.0\.0\.1:1: .* refused"):
        capabilities(replace(cortex, api=Rest("http://127.0.0.1:1", cortex.api.pool)))


def test_without_metrics_or_cortex_a_run_is_blocked(cortex, site, admin, request_):
    with pytest.raises(Blocked, match="does not say where Cortex tells its metrics"):
        replace(cortex, told=None).ask("a run", request_)
    bare = site.model_copy(update={"cortex_section": None})
    with pytest.raises(Blocked, match="site lab full has no cortex"), connected_cortex(bare, admin, "unit"):
        pass


def test_sizes_that_no_group_has_are_blocked(admin):
    with pytest.raises(Blocked, match="no flavor group has flavors of 8192 and 7 MiB"):
        flavors_of_one_group(admin, 8192, 7)
