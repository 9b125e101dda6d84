"""Requests of the external scheduler: decoding, admission, intents, options (Cortex sheet §2)."""

import json

import pytest

from lab.cortex.scheduling.admission import admit, pipeline_for
from lab.cortex.scheduling.intents import intent_of
from lab.cortex.scheduling.options import Options
from lab.cortex.scheduling.request import RequestError, parse
from unittests.lab_cortex_scheduling.bodies import body, flavor, request, wrap


def refused(call):
    with pytest.raises(RequestError) as caught:
        call()
    return caught.value.status, caught.value.text


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"[]", b'"x"', b"\xff",
        b'{"weights": {"a": NaN}}',
        b'{"weights": {"a": 1e400}}',
        b'{"hosts": {}}',
        b'{"weights": {"a": "1"}}',
        b'{"weights": {"a": true}}',
        b'{"options": {"read_only": "yes"}}',
        b'{"options": {"max_candidates": 1.5}}',
        b'{"spec": {"nova_object.data": {"num_instances": -1}}}',
        b'{"spec": {"nova_object.data": {"flavor": {"nova_object.data": {"extra_specs": {"a": 1}}}}}}',
        b'{"spec": []}',
        b'{"context": {"roles": "admin"}}',
    ],
)  # fmt: skip
def test_what_cannot_be_decoded_is_a_bad_request(text):
    assert refused(lambda: parse(text)) == (400, "failed to decode request body")


@pytest.mark.parametrize("text", [b"{}", b"null", b'{"spec": null, "hosts": null}', b' {"new": [1]} trailing'])
def test_what_is_missing_is_empty_and_what_is_unknown_is_ignored(text):
    found = parse(text)
    assert (found.hosts, found.weights, found.vm, found.ignore_hosts, found.group) == ((), {}, "", None, None)


def test_bytes_that_are_no_text_are_replaced():
    assert parse(b'{"pipeline": "\xff"}').pipeline == "\ufffd"


def test_a_body_of_nova_is_unwrapped():
    document = body(
        "a", "b", weights={"a": 1, "b": 2.5}, ignore_hosts=["src"], force_hosts=[], pipeline="p",
        requested_destination=wrap({"host": "a", "aggregates": ["x,y"]}),
        instance_group=wrap({"policy": "affinity", "members": ["m"], "hosts": ["a"]}),
        image=wrap({"properties": wrap({"img_hv_type": "kvm"})}),
        context={"project_id": "other", "user": "u", "request_id": "r", "global_request_id": None},
        options={"max_candidates": 3, "ignored_reservation_types": ["FailoverReservation"]},
    )  # fmt: skip
    found = parse(json.dumps(document))
    assert found.hosts == ("a", "b")
    assert found.weights == {"a": 1, "b": 2.5}
    assert (found.ignore_hosts, found.force_hosts) == (("src",), ())
    assert found.flavor.memory_mb == 16384
    assert found.hardware == "G"
    assert found.destination is not None
    assert found.destination.aggregates == ("x,y",)
    assert found.group is not None
    assert found.group.members == ("m",)
    assert found.image == {"img_hv_type": "kvm"}
    assert (found.project, found.context.project, found.context.global_request_id) == ("P", "other", "")
    assert found.options == Options(max_candidates=3, ignored_types=("FailoverReservation",))
    assert parse(document).raw is document


def test_hosts_and_weights_have_to_agree():
    assert refused(lambda: admit(request("a", "b", weights={"a": 0}))) == (400, "missing weight for host")
    extra = request("a", weights={"a": 0, "b": 0})
    assert refused(lambda: admit(extra)) == (400, "weight assigned to unknown host")


@pytest.mark.parametrize(
    ("hypervisor", "trait", "pipeline"),
    [
        ("qemu", None, "kvm-general-purpose-load-balancing"),
        ("CH", "forbidden", "kvm-general-purpose-load-balancing"),
        ("QEMU", "required", "kvm-hana-bin-packing"),
        ("VMware vCenter Server", "forbidden", "vmware-general-purpose-load-balancing"),
        ("vmware vcenter server", "Required", "vmware-hana-bin-packing"),
    ],
)
def test_the_flavor_chooses_the_pipeline(hypervisor, trait, pipeline):
    specs = {"capabilities:hypervisor_type": hypervisor}
    if trait is not None:
        specs["trait:CUSTOM_HANA_EXCLUSIVE_HOST"] = trait
    assert admit(request("a", flavor=flavor(**specs))).pipeline == pipeline
    assert admit(request("a", flavor=flavor(**specs), pipeline="mine")).pipeline == "mine"


def test_a_flavor_that_tells_too_little_is_a_bad_request():
    unknown = "failed to determine hypervisor type from request data"
    assert refused(lambda: pipeline_for(request(flavor=wrap({"extra_specs": {}})))) == (400, unknown)
    strange = flavor(**{"capabilities:hypervisor_type": "xen"})
    assert refused(lambda: pipeline_for(request(flavor=strange))) == (400, unknown)
    odd = flavor(**{"trait:CUSTOM_HANA_EXCLUSIVE_HOST": "maybe"})
    text = "failed to determine flavor type from request data"
    assert refused(lambda: pipeline_for(request(flavor=odd))) == (400, text)


@pytest.mark.parametrize(
    ("hints", "intent"),
    [
        ({"_nova_check_type": ["live_migrate"]}, "live_migration"),
        ({"_nova_check_type": "live_migrate"}, "live_migration"),
        ({"_nova_check_type": ["live_migrate", "evacuate"]}, "live_migration"),
        ({"_nova_check_type": ["live_migration"]}, "create"),
        ({"_nova_check_type": ["rebuild"]}, "rebuild"),
        ({"_nova_check_type": ["resize"]}, "resize"),
        ({"_nova_check_type": ["evacuate"]}, "evacuate"),
        ({"_nova_check_type": ["reserve_for_failover"]}, "reserve_for_failover"),
        ({"_nova_check_type": ["reuse_failover_reservation"]}, "reuse_failover_reservation"),
        ({"_nova_check_type": ["reserve_for_committed_resource"]}, "reserve_for_committed_resource"),
        ({"_nova_check_type": ["capacity_probe"]}, "capacity_probe"),
        ({"_nova_check_type": [""]}, "create"),
        ({"_nova_check_type": []}, None),
        ({"_nova_check_type": [1]}, None),
        ({"_nova_check_type": {"a": 1}}, None),
        ({"other": ["x"]}, None),
        (None, None),
    ],
)
def test_the_hint_tells_the_intent(hints, intent):
    document = body("a")
    document["spec"]["nova_object.data"]["scheduler_hints"] = hints
    assert intent_of(parse(document)) == intent


def test_a_read_only_run_needs_all_three_skips():
    assert Options(read_only=True, skip_inflight=True).refusal == (
        "read-only runs must not write scheduling history: set SkipHistory=true"
    )
    assert Options(read_only=True, skip_history=True).refusal == "read-only runs cannot create inflight reservations"
    assert Options(read_only=True, skip_history=True, skip_inflight=True).refusal == (
        "read-only runs must not write CR reservation allocations: set SkipCommittedResourceTracking=true"
    )
    assert not Options(read_only=True, skip_history=True, skip_inflight=True, skip_tracking=True).refusal
    assert not Options().refusal
