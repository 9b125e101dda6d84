"""Who owns which field: the entries of managedFields (kubernetes-api sheet §4.5)."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP, NODE, SECRET
from lab.apiserver.options import WriteOptions
from lab.apiserver.patching.apply import LAST_APPLIED
from lab.clock import ManualClock
from unittests.apiserver_verbs.applier import LISTS, Applier, caller
from unittests.apiserver_verbs.kinds import WIDGET
from unittests.apiserver_verbs.steady import STEADY


def test_updates_own_what_they_change(api: Api) -> None:
    applier = Applier(api, WIDGET)
    api.create(
        WIDGET, {"metadata": {"name": "x", "namespace": "t"}, "spec": {"a": 1, "b": 2}}, caller=caller("creator")
    )
    applier.merge("kubectl-edit", spec={"a": 5}, metadata={"labels": {"l": "1"}})
    assert applier.owners() == {
        ("creator", "Update"): {"f:spec": {"f:b": {}}},
        ("kubectl-edit", "Update"): {"f:metadata": {"f:labels": {"f:l": {}}}, "f:spec": {"f:a": {}}},
    }
    applier.merge("remover", spec=None)
    assert set(applier.owners()) == {("kubectl-edit", "Update")}


def test_status_updates_have_their_own_entry(api: Api) -> None:
    api.create(WIDGET, {"metadata": {"name": "x", "namespace": "t"}, "spec": {}}, caller=caller("ctl"))
    api.patch(WIDGET, "t", "x", {"status": {"n": 1}}, subresource="status", caller=caller("ctl"))
    entries = api.get(WIDGET, "t", "x")["metadata"]["managedFields"]
    assert [(entry.get("subresource"), entry["fieldsV1"]) for entry in entries] == [
        (None, {"f:spec": {}}),
        ("status", {"f:status": {"f:n": {}}}),
    ]


def test_updates_take_fields_from_appliers(maps: Applier) -> None:
    maps.apply("one", data={"a": "1", "b": "1"})
    maps.merge("edit", data={"a": "2"})
    assert maps.owners() == {("one", "Apply"): {"f:data": {"f:b": {}}}, ("edit", "Update"): {"f:data": {"f:a": {}}}}


def test_elements_of_keyed_lists_are_tracked(api: Api) -> None:
    applier = Applier(api, NODE, "n")
    ready = {"type": "Ready", "status": "True"}
    api.create(NODE, {"metadata": {"name": "n"}, "status": {"conditions": [ready]}}, caller=caller("kubelet"))
    disk = {"type": "DiskPressure", "status": "False"}
    body = {"status": {"conditions": [{**ready, "status": "False"}, disk]}}
    api.patch(NODE, "", "n", body, subresource="status", caller=caller("npd"))
    assert applier.owners()["npd", "Update"] == {
        "f:status": {
            "f:conditions": {
                'k:{"type":"DiskPressure"}': {".": {}, "f:type": {}, "f:status": {}},
                'k:{"type":"Ready"}': {"f:status": {}},
            }
        }
    }
    assert applier.owners()["kubelet", "Update"] == {
        "f:status": {"f:conditions": {'k:{"type":"Ready"}': {".": {}, "f:type": {}}}}
    }


def test_times_move_only_with_changes(api: Api, maps: Applier, clock: ManualClock) -> None:
    maps.apply("one", data={"a": "1"})
    clock.advance(60)
    maps.merge("edit", data={"b": "1"})
    times = {entry["manager"]: entry["time"] for entry in api.get(CONFIG_MAP, "t", "x")["metadata"]["managedFields"]}
    assert times == {"one": "2026-01-01T00:00:00Z", "edit": "2026-01-01T00:01:00Z"}


def test_one_empty_entry_clears_and_an_empty_list_means_nothing(api: Api, maps: Applier) -> None:
    maps.apply("one", data={"a": "1"})
    before = api.get(CONFIG_MAP, "t", "x")
    assert maps.merge("edit", metadata={"managedFields": []}) == before
    assert maps.merge("edit", metadata={"managedFields": [{"manager": "broken"}]}) == before
    assert "managedFields" not in maps.merge("edit", metadata={"managedFields": [{}]})["metadata"]


def test_entries_can_be_rewritten(api: Api, maps: Applier) -> None:
    api.create(
        CONFIG_MAP, {"metadata": {"name": "x", "namespace": "t"}, "data": {"a": "1"}},
        caller=caller("kubectl-client-side-apply"),
    )  # fmt: skip
    (entry,) = api.get(CONFIG_MAP, "t", "x")["metadata"]["managedFields"]
    migrated = {**entry, "manager": "kubectl", "operation": "Apply"}
    body = [{"op": "replace", "path": "/metadata/managedFields", "value": [migrated]}]
    api.patch(CONFIG_MAP, "t", "x", body, type="json", caller=caller("kubectl"))
    assert maps.owners() == {("kubectl", "Apply"): {"f:data": {"f:a": {}}}}
    assert "data" not in maps.apply("kubectl")


def test_kubectl_keeps_its_annotation_up_to_date(api: Api, maps: Applier) -> None:
    annotations = {LAST_APPLIED: "old", "k": "v"}
    api.create(CONFIG_MAP, {"metadata": {"name": "x", "namespace": "t", "annotations": annotations}})
    applied = maps.apply("kubectl", {"name": "x", "namespace": "t"}, data={"a": "1"})
    text = applied["metadata"]["annotations"][LAST_APPLIED]
    assert json.loads(text) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x", "namespace": "t"},
        "data": {"a": "1"},
    }
    assert text.endswith("\n")
    assert maps.owners()["kubectl", "Apply"] == {"f:data": {"f:a": {}}}
    assert maps.apply("kubectl", {"name": "x", "namespace": "t"}, data={"a": "1"}) == applied
    assert maps.apply("other", data={"a": "1"})["metadata"]["annotations"][LAST_APPLIED] == text


def test_dry_run_of_an_apply(api: Api, maps: Applier) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"}}
    dry = WriteOptions(dry_run=True)
    shown = api.patch(CONFIG_MAP, "t", "x", config, type="apply", caller=caller("m"), options=dry)
    assert (shown["data"], api.find(CONFIG_MAP, "t", "x")) == ({"a": "1"}, None)


CONFIGS = st.dictionaries(
    st.sampled_from(["a", "b", "keyed", "set", "whole"]),
    st.none() | st.integers(0, 2) | st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2), max_size=2),
    max_size=4,
).map(
    lambda spec: {
        **spec,
        "keyed": [{"name": name, "v": 1} for name in ("p", "q") if spec.get("keyed")],
        "set": ["s"] if spec.get("set") else [],
        "whole": {"w": spec.get("a")},
    }
)


@settings(STEADY, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(["one", "two"]), CONFIGS), min_size=1, max_size=6))
def test_a_forced_apply_wins_and_repeats_as_a_no_op(api: Api, steps) -> None:
    applier = Applier(api, LISTS, f"h{api.store.revision}")
    for manager, spec in steps:
        applied = applier.apply(manager, spec=spec, force=True)
        assert applier.apply(manager, spec=spec) == applied
        for key, value in spec.items():
            found = applied["spec"].get(key)
            if isinstance(value, list):
                assert all(item in found for item in value)
            elif isinstance(value, int):
                assert found == value


def test_secrets_keep_what_apply_did_not_name(api: Api) -> None:
    api.create(SECRET, {"metadata": {"name": "x", "namespace": "t"}, "data": {"a": "MQ=="}}, caller=caller("c"))
    assert Applier(api, SECRET).apply("m", data={"b": "Mg=="})["data"] == {"a": "MQ==", "b": "Mg=="}
