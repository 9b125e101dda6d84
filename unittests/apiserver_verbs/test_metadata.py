"""Labels, annotations, owners and finalizers: what is valid (kubernetes-api sheet §2.2)."""

import pytest

from lab.apiserver.api import Api
from lab.apiserver.bodies import at_address
from lab.apiserver.builtin.kinds import CONFIG_MAP
from lab.apiserver.replies import Reply
from unittests.apiserver_verbs.kinds import GADGET, WIDGET
from unittests.apiserver_verbs.refusals import cause, refusal

OWNER = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}
NAME_PART = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def create(api: Api, resource=CONFIG_MAP, **metadata: object) -> dict[str, object]:
    return api.create(resource, {"metadata": {"name": "x", "namespace": "t", **metadata}})


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"labels": {"a b": "x"}}, ("FieldValueInvalid", f'Invalid value: "a b": {NAME_PART}', "metadata.labels")),
        ({"labels": {"a": "-x"}}, ("FieldValueInvalid", f'Invalid value: "-x": {VALUE}', "metadata.labels")),
        (
            {"labels": {"a": "x" * 64}},
            (
                "FieldValueInvalid",
                f'Invalid value: "{"x" * 64}": must be no more than 63 characters',
                "metadata.labels",
            ),
        ),
        (
            {"labels": {"/a": "x"}},
            ("FieldValueInvalid", 'Invalid value: "/a": prefix part must be non-empty', "metadata.labels"),
        ),
        (
            {"labels": {"b/": "x"}},
            ("FieldValueInvalid", 'Invalid value: "b/": name part must be non-empty', "metadata.labels"),
        ),
        (
            {"annotations": {"a b": "x"}},
            ("FieldValueInvalid", f'Invalid value: "a b": {NAME_PART}', "metadata.annotations"),
        ),
        (
            {"annotations": {"a": "x" * 262144}},
            ("FieldValueTooLong", "Too long: may not be more than 262144 bytes", "metadata.annotations"),
        ),
        (
            {"finalizers": ["plain"]},
            (
                "FieldValueInvalid",
                'Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
                "metadata.finalizers",
            ),
        ),
        (
            {"finalizers": ["orphan", "foregroundDeletion"]},
            (
                "FieldValueInvalid",
                'Invalid value: ["orphan","foregroundDeletion"]: '
                "finalizer orphan and foregroundDeletion cannot be both set",
                "metadata.finalizers",
            ),
        ),
        (
            {"ownerReferences": [{**OWNER, "apiVersion": ""}]},
            (
                "FieldValueInvalid",
                'Invalid value: "": version must not be empty',
                "metadata.ownerReferences.apiVersion",
            ),
        ),
        (
            {"ownerReferences": [{**OWNER, "uid": ""}]},
            ("FieldValueInvalid", 'Invalid value: "": must not be empty', "metadata.ownerReferences.uid"),
        ),
    ],
)
def test_bad_metadata_is_invalid(api: Api, metadata, expected: tuple[str, str, str]) -> None:
    error = refusal(create, api, **metadata)
    assert (error.code, error.reason, cause(error)) == (422, "Invalid", expected)


def test_only_one_owner_controls(api: Api) -> None:
    owners = [{**OWNER, "controller": True}, {**OWNER, "name": "m", "uid": "v", "controller": True}]
    error = refusal(create, api, ownerReferences=owners)
    assert error.message.endswith(
        'Only one reference can have Controller set to true. Found "true" in references for n and m'
    )


def test_good_metadata_is_kept(api: Api) -> None:
    metadata = {
        "labels": {"example.com/a": "", "b": "x.y_z-1"},
        "annotations": {"Example.com/Big": "any\ntext"},
        "finalizers": ["a/b", "kubernetes"],
        "ownerReferences": [{**OWNER, "apiVersion": "/v1"}],  # as one operator writes it (trap T14)
    }
    created = create(api, **metadata)
    assert {key: created["metadata"][key] for key in metadata} == metadata  # type: ignore[index]


def test_several_causes_are_listed(api: Api) -> None:
    error = refusal(create, api, finalizers=["plain"], labels={"a": "-"})
    assert error.message.startswith('ConfigMap "x" is invalid: [metadata.labels: Invalid value: "-": ')
    assert error.details is not None
    assert len(error.details["causes"]) == 2  # type: ignore[arg-type]


def test_custom_resources_may_have_plain_finalizers_and_are_warned(api: Api) -> None:
    reply = Reply()
    api.create(WIDGET, {"metadata": {"name": "x", "namespace": "t", "finalizers": ["plain"]}}, reply=reply)
    assert reply.warnings == [
        'metadata.finalizers: "plain": prefer a domain-qualified finalizer name including a path (/) to avoid '
        "accidental conflicts with other finalizer writers"
    ]


def test_what_was_stored_before_is_not_judged_again(api: Api) -> None:
    old = {"metadata": {"name": "old", "namespace": "t", "labels": {"a": "-"}}, "apiVersion": "v1", "kind": "ConfigMap"}
    api.store.put(CONFIG_MAP.key, {**old, "metadata": {**old["metadata"], "uid": "u"}})  # type: ignore[dict-item]
    api.patch(CONFIG_MAP, "t", "old", {"data": {"k": "v"}})
    assert refusal(api.patch, CONFIG_MAP, "t", "old", {"metadata": {"labels": {"b": "c"}}}).code == 422


def test_no_finalizer_is_added_to_a_dying_object(api: Api) -> None:
    create(api, finalizers=["a/b", "c/d"])
    api.delete(CONFIG_MAP, "t", "x")
    error = refusal(api.patch, CONFIG_MAP, "t", "x", {"metadata": {"finalizers": ["a/b", "c/d", "e/f"]}})
    assert (error.code, cause(error)) == (
        422,
        (
            "FieldValueForbidden",
            "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
            '[]string{"e/f"}',
            "metadata.finalizers",
        ),
    )
    assert api.patch(CONFIG_MAP, "t", "x", {"metadata": {"finalizers": ["a/b"]}})["metadata"]["finalizers"] == ["a/b"]


def test_the_last_finalizer_takes_the_object_with_it(api: Api) -> None:
    create(api, finalizers=["a/b"])
    api.delete(CONFIG_MAP, "t", "x")
    watch = api.watch(CONFIG_MAP, "t")
    watch.take()
    gone = api.patch(CONFIG_MAP, "t", "x", {"metadata": {"finalizers": None}})
    assert gone["metadata"]["deletionTimestamp"]
    (event,) = watch.take()
    assert (event.type, event.obj) == ("DELETED", gone)
    assert "finalizers" not in gone["metadata"]
    assert api.find(CONFIG_MAP, "t", "x") is None


@pytest.mark.parametrize(
    ("body", "name", "message"),
    [
        (
            {"metadata": {"name": "y"}},
            "x",
            "the name of the object (y) does not match the name on the URL (x)",
        ),
        ({}, "x", "the name of the object (x based on URL) was undeterminable: name must be provided"),
        (
            {"metadata": {"name": "x", "namespace": "other"}},
            "",
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        ([], "", "the object provided is unrecognized: the body must be a JSON object"),
    ],
)
def test_a_body_must_fit_its_address(body, name: str, message: str) -> None:
    error = refusal(at_address, CONFIG_MAP, body, "t", name)
    assert (error.code, error.message) == (400, message)


def test_an_address_fills_the_namespace_in() -> None:
    assert at_address(CONFIG_MAP, {"data": {}}, "t") == {"data": {}, "metadata": {"namespace": "t"}}
    assert at_address(GADGET, {"metadata": {"name": "x", "namespace": "t"}}, "", "x") == {"metadata": {"name": "x"}}
