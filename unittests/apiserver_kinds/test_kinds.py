"""The catalogue of built-in kinds, and events in their two shapes."""

from lab.apiserver.builtin import kinds
from lab.apiserver.builtin.events import from_core, to_core
from lab.apiserver.builtin.kinds import BUILTIN, EVENT, EVENTS_EVENT
from lab.apiserver.resources import Catalogue

NEW_EVENT = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "n1.2", "namespace": "default"},
    "eventTime": "2026-01-01T00:00:00.250000Z",
    "reportingController": "c",
    "reportingInstance": "i",
    "action": "A",
    "reason": "R",
    "regarding": {"kind": "Node", "name": "n1", "uid": "u1", "apiVersion": "v1"},
    "note": "m",
    "type": "Normal",
}


def test_every_built_in_kind_is_served_once():
    assert len(Catalogue(BUILTIN)._by_path) == len(BUILTIN)
    named = {value for name, value in vars(kinds).items() if name.isupper() and isinstance(value, kinds.Resource)}
    assert named == set(BUILTIN)


def test_short_names_are_unique_in_their_group():
    taken = [(resource.group, short) for resource in BUILTIN for short in resource.short_names]
    assert len(taken) == len(set(taken))


def test_only_these_kinds_refuse_an_unconditional_update():
    strict = {resource.plural for resource in BUILTIN if not resource.unconditional_update}
    assert strict == {"customresourcedefinitions", "leases", "poddisruptionbudgets"}


def test_only_these_kinds_keep_a_generation():
    counted = {resource.kind for resource in BUILTIN if resource.generation}
    assert counted == {
        "Pod", "Deployment", "DaemonSet", "ReplicaSet", "Job", "PodDisruptionBudget", "CustomResourceDefinition",
    }  # fmt: skip


def test_events_of_both_groups_share_one_place():
    assert EVENTS_EVENT.key == EVENT.key == ("", "events")


def test_an_event_reads_through_the_other_group_with_mapped_fields():
    core = to_core(NEW_EVENT)
    assert core["apiVersion"] == "v1"
    assert core["involvedObject"]["name"] == "n1"
    assert (core["message"], core["reportingComponent"], core["action"]) == ("m", "c", "A")
    back = from_core(core)
    assert {key: back[key] for key in NEW_EVENT} == NEW_EVENT


def test_old_fields_of_core_events_come_out_as_deprecated_ones():
    core = {
        "metadata": {"name": "x"}, "source": {"component": "kubelet"}, "count": 3,
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:09Z",
    }  # fmt: skip
    new = from_core(core)
    assert new["deprecatedSource"] == {"component": "kubelet"}
    assert new["deprecatedCount"] == 3
    assert new["deprecatedLastTimestamp"] == "2026-01-01T00:00:09Z"
