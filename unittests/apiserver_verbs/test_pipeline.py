"""The order of the write pipeline, field validation and versions (kubernetes-api sheet §2.4, §5.2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from lab.apiserver.admission import Caller, Object, Review
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP, EVENT, EVENTS_EVENT
from lab.apiserver.errors import Cause, bad_request
from lab.apiserver.options import WriteOptions
from lab.apiserver.replies import Reply
from lab.clock import ManualClock
from unittests.apiserver_verbs.kinds import WIDGET
from unittests.apiserver_verbs.refusals import refusal


class Closed:
    """A strategy with one allowed field: `spec.size`, by default 1; it must not be negative."""

    def prepare(self, new: Object, old: Object | None) -> Object:
        given = new.get("spec") or {}
        return {**new, "spec": {"size": given.get("size", 1)}}

    def validate(self, new: Object, old: Object | None) -> Sequence[Cause]:
        size = new["spec"].get("size", 0)
        return [Cause("FieldValueInvalid", f"Invalid value: {size}: must not be negative", "spec.size")] * (size < 0)

    def unknown_fields(self, new: Object) -> Sequence[str]:
        return [f"spec.{key}" for key in new.get("spec") or {} if key != "size"]


@pytest.fixture
def closed(api: Api) -> Closed:
    strategy = Closed()
    api.strategies.set(WIDGET, strategy)
    return strategy


def widget(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "x", "namespace": "t"}, "spec": spec}


def test_prepare_mutate_validate_in_this_order(api: Api, closed: Closed) -> None:
    seen: list[tuple[str, Any]] = []

    def mutate(review: Review) -> Object:
        seen.append(("mutate", review.obj["spec"]["size"]))
        return {**review.obj, "spec": {"size": review.obj["spec"]["size"] - 1}}

    def validate(review: Review) -> None:
        seen.append(("validate", review.obj["spec"]["size"]))

    api.admission.mutate_with(WIDGET.key, ["CREATE", "UPDATE"], mutate)
    api.admission.validate_with(WIDGET.key, ["CREATE", "UPDATE"], validate)
    assert api.create(WIDGET, widget(junk=1))["spec"] == {"size": 0}
    assert seen == [("mutate", 1), ("validate", 0)]
    error = refusal(api.patch, WIDGET, "t", "x", {"spec": {"size": 0}})
    assert error.message == ('Widget.example.com "x" is invalid: spec.size: Invalid value: -1: must not be negative')
    assert seen[2:] == [("mutate", 0)]  # admission.validate comes last


def test_validators_refuse_and_see_the_old_state(api: Api) -> None:
    def freeze(review: Review) -> None:
        assert review.old is not None
        if review.obj["data"] != review.old["data"]:
            raise bad_request(f"{review.caller.user} may not")

    api.admission.validate_with(CONFIG_MAP.key, ["UPDATE"], freeze)
    api.create(CONFIG_MAP, {"metadata": {"name": "x", "namespace": "t"}, "data": {"a": "b"}})
    assert refusal(api.patch, CONFIG_MAP, "t", "x", {"data": {"a": "c"}}).message == "system:apiserver may not"
    assert api.get(CONFIG_MAP, "t", "x")["data"] == {"a": "b"}


def test_status_writes_have_their_own_admission(api: Api) -> None:
    seen: list[str] = []
    for subresource in ("", "status"):
        api.admission.validate_with(WIDGET.key, ["UPDATE"], lambda review: seen.append(review.subresource), subresource)
    api.create(WIDGET, widget())
    api.patch(WIDGET, "t", "x", {"status": {"n": 1}}, subresource="status")
    assert seen == ["status"]


def test_what_admission_puts_back_is_no_change(api: Api, clock: ManualClock) -> None:
    def put_back(review: Review) -> Object:
        return {**review.obj, "spec": {"size": 1}}

    api.admission.mutate_with(WIDGET.key, ["UPDATE"], put_back)
    api.create(WIDGET, widget(size=1))
    first = api.patch(WIDGET, "t", "x", {"spec": {"size": 2}}, caller=Caller("u", manager="m"))
    clock.advance(60)
    assert api.patch(WIDGET, "t", "x", {"spec": {"size": 2}}, caller=Caller("u", manager="m")) == first


def test_snapshots_share_what_a_strategy_rebuilt_unchanged(api: Api, closed: Closed) -> None:
    created = api.create(WIDGET, widget(size=1))
    patched = api.patch(WIDGET, "t", "x", {"metadata": {"labels": {"a": "b"}}})
    assert patched["spec"] is created["spec"]


def test_status_writes_do_not_prepare_the_spec(api: Api) -> None:
    api.create(WIDGET, widget(old="style"))
    api.strategies.set(WIDGET, Closed())
    patched = api.patch(WIDGET, "t", "x", {"status": {"n": 1}}, subresource="status")
    assert (patched["spec"], patched["status"]) == ({"old": "style"}, {"n": 1})


@pytest.mark.parametrize("mode", ["Warn", ""])
def test_unknown_fields_are_dropped_with_a_warning(api: Api, closed: Closed, mode: str) -> None:
    reply = Reply()
    body = widget(foo=1, bar=2)
    body["metadata"]["junk"] = 1
    created = api.create(WIDGET, body, options=WriteOptions(field_validation=mode), reply=reply)
    assert reply.warnings == [
        'unknown field "metadata.junk"',
        'unknown field "spec.foo"',
        'unknown field "spec.bar"',
    ]
    assert (created["spec"], "junk" in created["metadata"]) == ({"size": 1}, False)


def test_unknown_fields_are_dropped_in_silence(api: Api, closed: Closed) -> None:
    reply = Reply()
    api.create(WIDGET, widget(foo=1), options=WriteOptions(field_validation="Ignore"), reply=reply)
    assert reply.warnings == []


def test_strict_refuses_unknown_fields(api: Api, closed: Closed) -> None:
    strict = WriteOptions(field_validation="Strict")
    error = refusal(api.create, WIDGET, widget(foo=1, bar=2), options=strict)
    assert (error.code, error.message) == (
        400,
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: '
        'unknown field "spec.foo", unknown field "spec.bar"',
    )
    created = api.create(WIDGET, widget(), options=strict)
    assert refusal(api.update, WIDGET, {**created, "spec": {"foo": 1}}, options=strict).code == 400
    error = refusal(api.patch, WIDGET, "t", "x", {"spec": {"foo": 1}}, options=strict)
    assert error.code == 422
    assert error.message.startswith('Widget.example.com "" is invalid: patch: Invalid value: "{')
    assert error.message.endswith('strict decoding error: unknown field "spec.foo"')


@pytest.mark.parametrize(
    ("verb", "kind"), [("create", "CreateOptions"), ("update", "UpdateOptions"), ("patch", "PatchOptions")]
)
def test_field_validation_is_one_of_three_words(api: Api, verb: str, kind: str) -> None:
    arguments = ("t", "x", {}) if verb == "patch" else (widget(),)
    error = refusal(getattr(api, verb), WIDGET, *arguments, options=WriteOptions(field_validation="Loud"))
    assert (error.code, error.message) == (
        422,
        f'{kind}.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loud": supported values: "Ignore", '
        '"Strict", "Warn"',
    )


def test_events_are_one_store_with_two_views(api: Api) -> None:
    event = {
        "metadata": {"name": "e", "namespace": "t"},
        "regarding": {"kind": "Node", "name": "n1"},
        "note": "text",
        "reason": "Ready",
        "type": "Normal",
        "reportingController": "c",
    }
    created = api.create(EVENTS_EVENT, event)
    assert (created["apiVersion"], created["note"]) == ("events.k8s.io/v1", "text")
    core = api.get(EVENT, "t", "e")
    assert (core["apiVersion"], core["message"], core["involvedObject"]["name"]) == ("v1", "text", "n1")
    patched = api.patch(EVENTS_EVENT, "t", "e", {"note": "more"})
    assert (patched["note"], api.get(EVENT, "t", "e")["message"]) == ("more", "more")
    assert api.patch(EVENTS_EVENT, "t", "e", {"note": "more"}) == patched
    gone = api.delete(EVENTS_EVENT, "t", "e")
    assert gone["note"] == "more"


OLDER = replace(
    WIDGET,
    version="v1beta1",
    to_storage=lambda obj: {**obj, "apiVersion": "example.com/v1", "spec": {"size": obj["spec"]["length"]}},
    from_storage=lambda obj: {**obj, "spec": {"length": obj["spec"].get("size", 0)}},
)
TWIN = replace(WIDGET, version="v1alpha1")


def test_an_older_version_speaks_its_own_fields(api: Api) -> None:
    seen: list[Object] = []
    api.admission.validate_with(WIDGET.key, ["CREATE"], lambda review: seen.append(review.obj))
    created = api.create(OLDER, widget(length=3))
    assert (created["apiVersion"], created["spec"]) == ("example.com/v1beta1", {"length": 3})
    assert seen[0]["spec"] == {"size": 3}  # admission sees what is stored
    assert api.get(WIDGET, "t", "x")["spec"] == {"size": 3}
    api.patch(WIDGET, "t", "x", {"spec": {"size": 4}})
    updated = api.update(OLDER, api.get(OLDER, "t", "x"))
    assert (updated["spec"], updated["metadata"]["generation"]) == ({"length": 4}, 2)
    watch = api.watch(OLDER, "t")
    api.patch(OLDER, "t", "x", {"spec": {"length": 5}})
    assert [event.obj["spec"] for event in watch.take()] == [{"length": 4}, {"length": 5}]


def test_versions_that_differ_in_name_only_keep_the_stored_one(api: Api) -> None:
    api.create(WIDGET, widget(size=1))
    shown = api.patch(TWIN, "t", "x", {"spec": {"size": 2}})
    assert shown["apiVersion"] == "example.com/v1alpha1"
    snapshot = api.store.get(WIDGET.key, "t", "x")
    assert snapshot is not None
    assert snapshot.obj["apiVersion"] == "example.com/v1"
    assert b'"apiVersion":"example.com/v1alpha1"' in api.get_raw(TWIN, "t", "x")
    assert api.update(TWIN, shown) == shown
