"""The gate is switched where the product looks, beside what somebody else has put there."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.errors import Forbidden, SiteError
from utilities.kubevirt.gates import ANNOTATION, SWITCHED, GateLists, Gates
from utilities.site import HOOK_GATE

from .acting import MemoryRest, Remembering

GATE = "VGPULiveMigration"
PARENT = "/spec/configuration/developerConfiguration/"
FOREIGN = {"op": "add", "path": "/spec/configuration/migrations", "value": {"allowAutoConverge": True}}
NAMES = st.frozensets(st.sampled_from([GATE, HOOK_GATE, "Snapshot", "HotplugVolumes", "ImageVolume"]))


def kubevirt(enabled=(), disabled=(), **status):
    lists = {"featureGates": list(enabled), "disabledFeatureGates": list(disabled)}
    return {
        "metadata": {"name": "kubevirt", "generation": 4},
        "spec": {"configuration": {"developerConfiguration": lists}},
        "status": status,
    }


def hyperconverged(annotation=None):
    annotations = {} if annotation is None else {ANNOTATION: annotation}
    return {"metadata": {"name": "kubevirt-hyperconverged", "annotations": annotations}}


def gates(objects, **product):
    return Gates(Remembering(MemoryRest(objects), product), GATE)


def with_hco(annotation=None, enabled=(), disabled=(HOOK_GATE,)):
    objects = {
        ("hyperconvergeds", "kubevirt-hyperconverged"): hyperconverged(annotation),
        ("kubevirts", "kubevirt-kubevirt-hyperconverged"): kubevirt(enabled, disabled),
    }
    return gates(objects)


def sent(switch):
    """The patch with which the gate is enabled."""
    with switch.enabled():
        return switch.actor.changes[0][1]


@pytest.fixture(autouse=True)
def passed(monkeypatch):
    """Product time that the product was given to pick its configuration up."""
    given = []
    monkeypatch.setattr("utilities.kubevirt.configuration.let_pass", lambda *arguments, **_: given.append(arguments[2]))
    return given


@given(NAMES, NAMES)
def test_no_gate_is_ever_in_both_lists(enabled, disabled):
    before = GateLists(enabled, disabled - enabled)
    for after in (before.enabling(GATE), before.enabling_alone(GATE), before.without(GATE)):
        assert not after.enabled & after.disabled


@given(NAMES, NAMES)
def test_other_gates_are_left_alone(enabled, disabled):
    before = GateLists(enabled, disabled - enabled)
    ours = {GATE, HOOK_GATE}
    for after in (before.enabling(GATE), before.enabling_alone(GATE), before.without(GATE)):
        assert (after.enabled - ours, after.disabled - ours) == (before.enabled - ours, before.disabled - ours)


def test_what_each_switch_means():
    before = GateLists(frozenset({"Snapshot"}), frozenset({HOOK_GATE}))
    on, alone = before.enabling(GATE), before.enabling_alone(GATE)
    assert (on.enabled, on.disabled) == ({"Snapshot", GATE}, set())
    assert (alone.enabled, alone.disabled) == ({"Snapshot", GATE}, {HOOK_GATE})
    assert on.without(GATE) == GateLists(frozenset({"Snapshot"}), frozenset())


def test_lists_that_are_not_there_are_empty():
    assert GateLists.of({"spec": {}}) == GateLists(frozenset(), frozenset())
    assert GateLists.of(kubevirt(["A"], ["B"])) == GateLists(frozenset({"A"}), frozenset({"B"}))


def test_the_annotation_sets_both_lists_and_keeps_foreign_operations():
    mine = {"op": "add", "path": f"{PARENT}featureGates/-", "value": "Snapshot"}
    switch = with_hco(json.dumps([FOREIGN, mine]), enabled=["Snapshot"])
    patch = sent(switch)
    assert str(patch.target) == "HyperConverged openshift-cnv/kubevirt-hyperconverged"
    assert json.loads(patch.body["metadata"]["annotations"][ANNOTATION]) == [
        FOREIGN,
        {"op": "add", "path": f"{PARENT}featureGates", "value": ["Snapshot", GATE]},
        {"op": "add", "path": f"{PARENT}disabledFeatureGates", "value": []},
    ]


def test_switching_again_does_not_pile_up_operations():
    switch = with_hco()
    first = sent(switch).body["metadata"]["annotations"][ANNOTATION]
    assert sent(with_hco(first)).body["metadata"]["annotations"][ANNOTATION] == first


@pytest.mark.parametrize("api", ["v1", "v1beta1"])
def test_hyperconverged_is_patched_in_the_sites_api_version(api):
    switch = with_hco()
    switch.actor.product["hyperconverged_api"] = api
    assert sent(switch).target.resource.api_version == f"hco.kubevirt.io/{api}"


def test_without_hyperconverged_the_lists_are_patched_themselves():
    switch = gates({("kubevirts", "kubevirt"): kubevirt(["Snapshot"])}, installed_by="kubevirt")
    patch = sent(switch)
    assert (patch.target.resource.kind, patch.target.name, patch.target.namespace) == (
        "KubeVirt",
        "kubevirt",
        "kubevirt",
    )
    lists = {"featureGates": ["Snapshot", GATE], "disabledFeatureGates": []}
    assert patch.body == {"spec": {"configuration": {"developerConfiguration": lists}}}


@pytest.mark.parametrize("annotation", ["", "no json", "5", "null", '["text"]', '{"op": "add"}', "[1]"])
def test_an_annotation_that_is_no_patch_is_an_error_of_the_site(annotation):
    switch = with_hco(annotation)
    with pytest.raises(SiteError, match="of HyperConverged kubevirt-hyperconverged is not a JSON patch") as wrong:
        sent(switch)
    assert "correct or remove the annotation" in wrong.value.next_step


class Waits:
    """Says which of some states of the KubeVirt object would end the wait."""

    def __init__(self, *states):
        self.states, self.met = states, []

    def wait_for(self, watched, goal, **_):
        self.met = [goal(state) for state in self.states]
        return self.states[self.met.index(True)]


GOOD = {"observedGeneration": 4, "phase": "Deployed", "conditions": [{"type": "Available", "status": "True"}]}


def test_it_waits_until_the_product_has_rolled_it_out(passed):
    switch = with_hco()
    switch.actor.waits = Waits(
        None,
        kubevirt([GATE], [HOOK_GATE], **GOOD),
        kubevirt([GATE], **GOOD | {"observedGeneration": 3}),
        kubevirt([GATE], **GOOD | {"phase": "Deploying"}),
        kubevirt([GATE], **GOOD | {"conditions": [{"type": "Available", "status": "False"}]}),
        kubevirt([GATE]),
        kubevirt([GATE], **GOOD),
        kubevirt((), [HOOK_GATE], **GOOD),
    )
    with switch.enabled():
        assert switch.actor.waits.met == [False, False, False, False, False, False, True, False]
    assert [what for what, _ in switch.actor.changes] == ["made", "undone"]
    assert switch.actor.waits.met == [False] * 7 + [True]
    assert passed == [10, 10]


@pytest.mark.parametrize(
    ("switching", "enabled", "disabled"),
    [("enabled", [GATE], []), ("enabled_alone", [GATE], [HOOK_GATE]), ("disabled", [], [HOOK_GATE])],
)
def test_nothing_is_changed_when_it_is_so_already(switching, enabled, disabled):
    switch = with_hco(enabled=enabled, disabled=disabled)
    with getattr(switch, switching)():
        pass
    assert switch.actor.changes == []


def test_a_user_who_may_not_is_refused_and_nothing_stays_changed():
    def patch(resource, name, body, namespace):
        asked.append(json.loads(body["metadata"]["annotations"][ANNOTATION])[-2]["value"])
        raise Forbidden("no", next_step="ask", code=403)

    asked = []
    switch = with_hco(enabled=[GATE])
    user = SimpleNamespace(rest=SimpleNamespace(patch=patch))
    with pytest.raises(Forbidden):
        switch.disable_as(user)
    assert asked == [[]]
    assert [what for what, _ in switch.actor.changes] == ["made"]


def test_who_takes_the_gate_back_in_our_place_is_told_beforehand_what_to_wait_for():
    switch = with_hco(enabled=("Snapshot",))
    with switch.enabled():
        pass
    (entry, made), (none, undone) = switch.actor.owed
    assert (entry.kind, entry.data) == (SWITCHED, {"enabled": ["Snapshot"], "disabled": [HOOK_GATE]})
    assert (made, none, undone) == (0, None, 2)
    assert GateLists.from_json(entry.data) == switch.configuration()
