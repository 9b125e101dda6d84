"""Label and field selectors (kubernetes-api sheet §3.4)."""

import pytest

from lab.apiserver.builtin.events import to_core
from lab.apiserver.builtin.kinds import CONFIG_MAP, EVENT, EVENTS_EVENT, NODE, POD, REPLICA_SET
from lab.apiserver.errors import ApiError
from lab.apiserver.selectors import parse_selector
from unittests.apiserver_verbs.kinds import GADGET, WIDGET

OBJECTS = {
    "ab": {"a": "b"},
    "ac": {"a": "c"},
    "a-empty": {"a": ""},
    "d": {"d": "1"},
    "ad": {"a": "b", "d": "7"},
    "none": {},
}


def selected(labels: str) -> set[str]:
    selector = parse_selector(CONFIG_MAP, labels)
    return {name for name, found in OBJECTS.items() if selector.matches({"metadata": {"labels": found}})}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", set(OBJECTS)),
        ("a", {"ab", "ac", "a-empty", "ad"}),
        ("!a", {"d", "none"}),
        ("a=b", {"ab", "ad"}),
        ("a==b", {"ab", "ad"}),
        ("a!=b", {"ac", "a-empty", "d", "none"}),
        ("a=", {"a-empty"}),
        ("a=,d", set()),
        ("a in (b,c)", {"ab", "ac", "ad"}),
        ("a in (b,c),!d", {"ab", "ac"}),
        (" a  in( b , c ) , ! d ", {"ab", "ac"}),
        ("a notin (b)", {"ac", "a-empty", "d", "none"}),
        ("a in (,c)", {"a-empty", "ac"}),
        ("a in ()", {"a-empty"}),
        ("d>5", {"ad"}),
        ("d<5", {"d"}),
        ("a>5", set()),
    ],
)
def test_labels_select(text: str, names: set[str]) -> None:
    assert selected(text) == names


@pytest.mark.parametrize(
    "text",
    ["a b", "a=b,", ",a", "a in b", "a in (b", "a in (b c)", "a ! b", "a>x", "-a=b", "a=b!", "a=x y", "!", "a/b/c"],
)
def test_bad_label_selectors_are_400(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_selector(CONFIG_MAP, text)
    assert (caught.value.code, caught.value.reason) == (400, "BadRequest")
    assert caught.value.message.startswith("unable to parse requirement: ")


def pod(name: str, node: str = "", phase: str = "Running") -> dict[str, object]:
    spec = {"nodeName": node} if node else {}
    return {"metadata": {"name": name, "namespace": "t"}, "spec": spec, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("spec.nodeName=n1,status.phase!=Succeeded", {"p1"}),
        ("spec.nodeName==n1", {"p1", "p2"}),
        ("spec.nodeName=", {"p3"}),
        ("metadata.name!=p1,metadata.namespace=t", {"p2", "p3"}),
        ("spec.hostNetwork=false", {"p1", "p2", "p3"}),
        ("spec.hostNetwork=true", set()),
        ("status.podIP=", {"p1", "p2", "p3"}),
    ],
)
def test_fields_of_pods_select(text: str, names: set[str]) -> None:
    pods = [pod("p1", "n1"), pod("p2", "n1", "Succeeded"), pod("p3", phase="Pending")]
    selector = parse_selector(POD, fields=text)
    assert {item["metadata"]["name"] for item in pods if selector.matches(item)} == names  # type: ignore[index]


def test_unset_booleans_and_counts_have_their_zero_value() -> None:
    bare = {"metadata": {"name": "x"}}
    assert parse_selector(NODE, fields="spec.unschedulable=false").matches(bare)
    assert parse_selector(NODE, fields="spec.unschedulable=true").matches({**bare, "spec": {"unschedulable": True}})
    assert parse_selector(REPLICA_SET, fields="status.replicas=0").matches(bare)


def test_events_are_selected_in_both_shapes() -> None:
    core = {
        "metadata": {"name": "e", "namespace": "t"},
        "involvedObject": {"kind": "Node", "name": "n1"},
        "source": {"component": "kubelet"},
        "reason": "Ready",
    }
    assert parse_selector(EVENT, fields="involvedObject.name=n1,involvedObject.namespace=,source=kubelet").matches(core)
    new = {"metadata": {"name": "e"}, "regarding": {"kind": "Node", "name": "n1"}, "reportingController": "c"}
    stored = to_core(new)
    assert parse_selector(EVENTS_EVENT, fields="regarding.name=n1,reportingController=c").matches(stored)
    assert not parse_selector(EVENTS_EVENT, fields="regarding.kind!=Node").matches(stored)


def test_escapes_in_field_values() -> None:
    selector = parse_selector(EVENT, fields=r"reason=a\,b\=c\\,type=Normal")
    assert selector.matches({"metadata": {}, "reason": "a,b=c\\", "type": "Normal"})
    assert selector.values() == {"reason": "a,b=c\\", "type": "Normal"}


@pytest.mark.parametrize(
    ("resource", "text", "message"),
    [
        (POD, "spec.foo=1", "field label not supported: spec.foo"),
        (
            GADGET,
            "spec.foo=1",
            '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        (
            WIDGET,
            "spec.foo=1",
            '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace", "spec.color"',
        ),
        (POD, "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        (POD, r"metadata.name=a\b", r"invalid field selector: invalid escape sequence in value: a\b"),
        (POD, "metadata.name=a=b", "invalid field selector: unescaped character in value: a=b"),
    ],
)
def test_bad_field_selectors_are_400(resource, text: str, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_selector(resource, fields=text)
    assert (caught.value.code, caught.value.message) == (400, message)


def test_selectable_fields_of_custom_resources() -> None:
    assert parse_selector(WIDGET, fields="spec.color=red").matches({"metadata": {}, "spec": {"color": "red"}})


def test_fixed_values_name_the_indexes() -> None:
    selector = parse_selector(POD, "app=x,tier in (a,b)", "spec.nodeName=n1,status.phase!=Failed")
    assert selector.values() == {"spec.nodeName": "n1", "label:app": "x"}
    assert parse_selector(POD, fields="metadata.name=p").name == "p"
    assert parse_selector(POD).empty
