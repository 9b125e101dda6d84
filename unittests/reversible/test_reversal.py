"""Changes on a cluster, taken back whatever happens."""

from threading import Thread

import pytest

from utilities.clients import KUBEVIRTS, NAMESPACES, NODES, PODS
from utilities.errors import Conflict, Forbidden, NotFound, UndoFailed, Unreachable
from utilities.reversible import OWNER, Create, Patch, Registry, Target, annotation

KUBEVIRT = Target(KUBEVIRTS, "kubevirt", "kubevirt")
PATH = "/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts"
PODS_PATH = "/api/v1/namespaces/qa/pods"
GATES = {"spec": {"configuration": {"developerConfiguration": {"featureGates": ["VGPULiveMigration"]}}}}


def content(api, path, name):
    found = api.objects[path][name]
    return {key: value for key, value in found.items() if key != "metadata"} | {
        "annotations": found["metadata"].get("annotations")
    }


@pytest.fixture
def kubevirt(api):
    api.put(PATH, "kubevirt", spec={"configuration": {"developerConfiguration": {"featureGates": ["A"]}}})
    return lambda: content(api, PATH, "kubevirt")


def test_changes_hold_for_the_block_and_no_longer(reversible, kubevirt):
    before = kubevirt()
    with reversible() as changes:
        patched = changes.apply(Patch(KUBEVIRT, GATES, "gate on"))
        changes.apply(annotation(KUBEVIRT, "x/y", "z", "marked"))
        assert patched["spec"] == GATES["spec"]
        assert kubevirt() == GATES | {"annotations": {"x/y": "z"}}

    assert kubevirt() == before


def test_they_are_taken_back_last_first(reversible, kubevirt):
    with reversible() as changes:
        for value in ("1", "2", "3"):
            changes.apply(annotation(KUBEVIRT, "x/y", value, "marked"))

    assert kubevirt()["annotations"] is None


def test_a_body_can_be_computed_from_the_present_state(reversible, kubevirt):
    def more(now):
        gates = now["spec"]["configuration"]["developerConfiguration"]["featureGates"]
        return {"spec": {"configuration": {"developerConfiguration": {"featureGates": [*gates, "B"]}}}}

    with reversible() as changes:
        found = changes.apply(Patch(KUBEVIRT, more, "one gate more"))
        assert found["spec"]["configuration"]["developerConfiguration"]["featureGates"] == ["A", "B"]


def test_losing_against_another_writer_is_tried_again_from_the_new_state(api, reversible, kubevirt):
    def disturbed(now):
        if "other" not in now["spec"]:
            api.put(PATH, "kubevirt", spec=now["spec"] | {"other": 1})
        return {"spec": {"mine": 2}}

    with reversible() as changes:
        changes.apply(Patch(KUBEVIRT, disturbed, "mine"))
        assert (kubevirt()["spec"]["mine"], kubevirt()["spec"]["other"]) == (2, 1)

    assert "mine" not in kubevirt()["spec"]
    assert kubevirt()["spec"]["other"] == 1


def test_a_created_object_is_deleted_and_awaited(api, reversible):
    with reversible() as changes:
        created = changes.apply(Create(PODS, {"metadata": {"generateName": "vm-", "annotations": {"a": "b"}}}, "qa"))
        name = created["metadata"]["name"]
        assert name.startswith("vm-")
        assert len(name) == 8
        assert created["metadata"]["annotations"]["a"] == "b"
        api.put(PODS_PATH, name, metadata=created["metadata"] | {"finalizers": ["x/y"]})
        remover = Thread(target=lambda: (api.wait_for_watches(1), api.remove(PODS_PATH, name)))
        remover.start()
    remover.join(10)

    assert api.objects[PODS_PATH] == {}


def test_an_object_that_is_gone_already_is_no_problem(api, reversible):
    with reversible() as changes:
        changes.apply(Create(NAMESPACES, {"metadata": {"name": "ns"}}))
        api.remove("/api/v1/namespaces", "ns")


def test_somebody_elses_object_of_that_name_is_left_alone(api, reversible):
    with reversible() as changes:
        changes.apply(Create(PODS, {"metadata": {"name": "a"}}, "qa"))
        api.remove(PODS_PATH, "a")
        api.put(PODS_PATH, "a", metadata={"annotations": {OWNER: "other"}})

    assert "a" in api.objects[PODS_PATH]


def test_what_was_refused_is_not_taken_back(api, reversible):
    api.put(PODS_PATH, "a")
    with reversible() as changes, pytest.raises(Conflict, match="already exists"):
        changes.apply(Create(PODS, {"metadata": {"name": "a"}}, "qa"))

    assert "a" in api.objects[PODS_PATH]
    assert [method for method, _, _ in api.requests] == ["POST"]


def test_what_may_have_been_done_is_taken_back(api, waits, reversible):
    """The answer to the creation is lost; the object is there."""
    create = Create(PODS, {"metadata": {"name": "a"}}, "qa")

    class Lost:
        describe = create.describe

        def prepare(self, rest):
            step = create.prepare(rest)

            def make():
                step.make()
                raise Unreachable("the connection broke", next_step="")

            return type(step)(step.undo, make)

    with reversible() as changes, pytest.raises(Unreachable):
        changes.apply(Lost())

    assert api.objects[PODS_PATH] == {}


def test_a_missing_object_cannot_be_patched(reversible):
    with reversible() as changes, pytest.raises(NotFound):
        changes.apply(Patch(KUBEVIRT, GATES, "gate on"))


def test_a_failed_undo_does_not_keep_the_others_from_running(api, reversible, kubevirt):
    def act():
        with reversible() as changes:
            changes.apply(annotation(KUBEVIRT, "x/y", "z", "marked"))
            changes.apply(Create(PODS, {"metadata": {"name": "a"}}, "qa"))
            api.fail("DELETE", 403)

    with pytest.raises(UndoFailed) as left:
        act()

    assert str(left.value).startswith(f"not taken back:\n- Pod qa/a: {api.url} answers 403")
    assert isinstance(left.value.__cause__, Forbidden)
    assert kubevirt()["annotations"] is None


def test_a_failed_undo_does_not_hide_the_failure_of_the_block(api, reversible, kubevirt):
    def act():
        with reversible() as changes:
            changes.apply(annotation(KUBEVIRT, "x/y", "z", "marked"))
            api.fail("PATCH", 403)
            raise AssertionError("the verdict")

    with pytest.raises(AssertionError, match="the verdict") as verdict:
        act()

    assert "not taken back:\n- KubeVirt kubevirt/kubevirt: " in verdict.value.__notes__[0]


def test_a_replaced_object_is_not_given_the_values_of_another(api, reversible, kubevirt):
    def act():
        with reversible() as changes:
            changes.apply(Patch(KUBEVIRT, GATES, "gate on"))
            api.remove(PATH, "kubevirt")
            api.put(PATH, "kubevirt", spec={"new": True})

    with pytest.raises(UndoFailed, match="is another object than the one that was changed"):
        act()

    assert kubevirt()["spec"] == {"new": True}


def test_an_undo_outlives_transient_errors(api, reversible, kubevirt):
    with reversible() as changes:
        changes.apply(annotation(KUBEVIRT, "x/y", "z", "marked"))
        api.fail("GET", 503)
        api.fail("PATCH", 409)

    assert kubevirt()["annotations"] is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Patch(Target(NODES, "n"), {"spec": {"x": None}}, "off"), 'patch Node n: off, {"spec": {"x": null}}'),
        (Patch(KUBEVIRT, lambda now: now, "gate on"), "patch KubeVirt kubevirt/kubevirt: gate on"),
        (Create(PODS, {"metadata": {"name": "a"}}, "qa", "to fill the node"), "create Pod qa/a: to fill the node"),
        (Create(NAMESPACES, {"metadata": {"generateName": "t-"}}), "create Namespace t-*: for the test"),
    ],
)
def test_changes_say_what_they_would_do(change, expected):
    assert change.describe() == expected


def test_a_registry_tells_each_change_of_a_selection_once():
    gate, label = Patch(KUBEVIRT, lambda now: now, "gate on"), annotation(KUBEVIRT, "a", "b", "marked")
    registry = Registry({"gate": lambda site: [gate], "both": lambda site: [gate, label], "none": lambda site: []})

    assert registry.describe(["both", "gate"], None).splitlines() == [gate.describe(), label.describe()]
    assert registry.describe(["none"], None) == "nothing would be changed"
    with pytest.raises(Exception, match="no reversible changes are registered as 'x'; known: both, gate, none"):
        registry.describe(["x"], None)
