"""Creating objects: metadata set by the server, and what is refused (kubernetes-api sheet §2.2, §2.3)."""

import re
import uuid

import pytest

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CLUSTER_ROLE, CONFIG_MAP, NAMESPACE, NODE, POD
from lab.apiserver.errors import forbidden
from lab.apiserver.options import WriteOptions
from unittests.apiserver_verbs.kinds import GADGET, WIDGET
from unittests.apiserver_verbs.refusals import cause, refusal


def named(name: str = "x", **metadata: object) -> dict[str, object]:
    return {"metadata": {"name": name, "namespace": "t", **metadata}}


def test_the_server_sets_what_is_its_own(api: Api) -> None:
    given = named(
        uid="mine", creationTimestamp="2000-01-01T00:00:00Z", generation=9, deletionTimestamp="2000-01-01T00:00:00Z",
        deletionGracePeriodSeconds=5, selfLink="/x", managedFields=[{}],
    )  # fmt: skip
    created = api.create(CONFIG_MAP, given)
    assert (created["apiVersion"], created["kind"]) == ("v1", "ConfigMap")
    metadata = created["metadata"]
    assert uuid.UUID(metadata["uid"]).version == 4
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert metadata["resourceVersion"] == str(api.store.revision)
    assert not {"generation", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"} & set(metadata)


def test_generation_starts_at_one_where_it_is_kept(api: Api) -> None:
    assert api.create(WIDGET, named())["metadata"]["generation"] == 1
    assert api.create(POD, named())["metadata"]["generation"] == 1


def test_every_write_counts_one_revision(api: Api) -> None:
    first = int(api.create(CONFIG_MAP, named("a"))["metadata"]["resourceVersion"])
    second = int(api.create(WIDGET, named("a"))["metadata"]["resourceVersion"])
    assert second == first + 1


def test_what_the_caller_keeps_is_not_what_is_stored(api: Api) -> None:
    body = {**named(), "data": {"k": "v"}}
    api.create(CONFIG_MAP, body)
    body["data"]["k"] = "changed"  # type: ignore[index]
    assert api.get(CONFIG_MAP, "t", "x")["data"] == {"k": "v"}


def test_a_status_is_dropped_where_it_has_a_subresource(api: Api) -> None:
    body = {**named(), "spec": {}, "status": {"phase": "Running"}}
    assert "status" not in api.create(POD, body)
    assert "status" not in api.create(WIDGET, body)
    assert api.create(GADGET, body)["status"] == {"phase": "Running"}
    assert api.create(NODE, body)["status"] == {"phase": "Running"}  # kubelets register with one


def test_cluster_scoped_objects_have_no_namespace(api: Api) -> None:
    assert "namespace" not in api.create(GADGET, named())["metadata"]


def test_names_are_generated(api: Api) -> None:
    base = {"metadata": {"generateName": "base-", "namespace": "t"}}
    names = {api.create(CONFIG_MAP, base)["metadata"]["name"] for _ in range(100)}
    assert len(names) == 100
    assert all(re.fullmatch("base-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in names)
    long = api.create(CONFIG_MAP, {"metadata": {"generateName": "x" * 80, "namespace": "t"}})["metadata"]
    assert len(long["name"]) == 63
    assert long["generateName"] == "x" * 80


def test_a_generated_name_that_stays_taken_is_refused(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.rng, "choice", lambda options: "b")
    body = {"metadata": {"generateName": "a-", "namespace": "t"}}
    api.create(CONFIG_MAP, body)
    error = refusal(api.create, CONFIG_MAP, body)
    assert (error.code, error.reason, error.retry_after) == (409, "AlreadyExists", 1)
    assert error.message == (
        'configmaps "a-bbbbb" already exists, the server was not able to generate a unique name for the object'
    )


def test_a_name_that_is_taken(api: Api) -> None:
    api.create(CONFIG_MAP, named())
    error = refusal(api.create, CONFIG_MAP, named())
    assert (error.code, error.reason, error.message) == (409, "AlreadyExists", 'configmaps "x" already exists')
    assert error.details == {"name": "x", "kind": "configmaps"}
    api.create(WIDGET, named())
    error = refusal(api.create, WIDGET, named())
    assert error.message == 'widgets.example.com "x" already exists'
    assert error.details == {"name": "x", "group": "example.com", "kind": "widgets"}


SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


@pytest.mark.parametrize(
    ("resource", "name", "message"),
    [
        (CONFIG_MAP, "Big", f'Invalid value: "Big": {SUBDOMAIN}'),
        (CONFIG_MAP, "a_b", f'Invalid value: "a_b": {SUBDOMAIN}'),
        (CONFIG_MAP, "a" * 254, f'Invalid value: "{"a" * 254}": must be no more than 253 characters'),
        (NAMESPACE, "a.b", f'Invalid value: "a.b": {LABEL}'),
        (NAMESPACE, "a" * 64, f'Invalid value: "{"a" * 64}": must be no more than 63 characters'),
        (CLUSTER_ROLE, "a/b", "Invalid value: \"a/b\": may not contain '/'"),
        (CLUSTER_ROLE, "..", "Invalid value: \"..\": may not be '..'"),
    ],
)
def test_bad_names_are_invalid(api: Api, resource, name: str, message: str) -> None:
    error = refusal(api.create, resource, named(name))
    assert (error.code, error.reason) == (422, "Invalid")
    assert cause(error) == ("FieldValueInvalid", message, "metadata.name")
    kind = f"{resource.kind}.{resource.group}" if resource.group else resource.kind
    assert error.message == f'{kind} "{name}" is invalid: metadata.name: {message}'
    assert error.details is not None
    assert error.details["kind"] == resource.kind


def test_rbac_names_may_be_anything_else(api: Api) -> None:
    assert api.create(CLUSTER_ROLE, {"metadata": {"name": "system:Big_one"}})["metadata"]["name"] == "system:Big_one"


def test_a_name_is_required(api: Api) -> None:
    error = refusal(api.create, WIDGET, {"metadata": {"namespace": "t"}})
    assert error.message == (
        'Widget.example.com "" is invalid: metadata.name: Required value: name or generateName is required'
    )
    assert cause(error)[0] == "FieldValueRequired"


def test_a_namespace_is_required(api: Api) -> None:
    error = refusal(api.create, CONFIG_MAP, {"metadata": {"name": "x"}})
    assert (error.code, error.message) == (400, "an empty namespace may not be set during creation")


def test_a_resource_version_is_an_internal_error(api: Api) -> None:
    error = refusal(api.create, CONFIG_MAP, named(resourceVersion="5"))
    assert (error.code, error.reason) == (500, "")
    assert error.message == "resourceVersion should not be set on objects to be created"
    api.create(CONFIG_MAP, named(resourceVersion=""))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"apiVersion": "v2"}, "the API version in the data (v2) does not match the expected API version (v1)"),
        ({"kind": "Secret"}, 'Secret in version "v1" cannot be handled as a ConfigMap'),
        (
            {"metadata": {"labels": {"a": 1}}},
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct '
            "field ObjectMeta.metadata.labels of type string",
        ),
        (
            {"metadata": {"annotations": []}},
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct '
            "field ObjectMeta.metadata.annotations of type map[string]string",
        ),
        (
            {"metadata": {"finalizers": "a/b"}},
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct '
            "field ObjectMeta.metadata.finalizers of type []string",
        ),
        (
            {"metadata": {"name": True}},
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal bool into Go struct '
            "field ObjectMeta.metadata.name of type string",
        ),
        (
            {"metadata": "x"},
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct '
            "field ObjectMeta.metadata of type v1.ObjectMeta",
        ),
    ],
)
def test_bodies_of_another_kind_or_type_are_400(api: Api, body, message: str) -> None:
    error = refusal(api.create, CONFIG_MAP, {**named(), **body})
    assert (error.code, error.reason, error.message) == (400, "BadRequest", message)


def test_nulls_in_metadata_mean_nothing(api: Api) -> None:
    created = api.create(CONFIG_MAP, named(creationTimestamp=None, labels={"a": None}, annotations=None))
    assert created["metadata"]["labels"] == {"a": ""}
    assert "annotations" not in created["metadata"]


def test_nothing_is_created_in_a_namespace_that_refuses(api: Api) -> None:
    def closed(api: Api, resource, namespace: str, name: str) -> None:
        raise forbidden(resource, name, f"{namespace} is closed")

    api.check_namespace = closed
    assert refusal(api.create, CONFIG_MAP, named()).message == 'configmaps "x" is forbidden: t is closed'
    api.create(GADGET, named())


def test_a_dry_run_stores_nothing(api: Api) -> None:
    watch, revision = api.watch(CONFIG_MAP), api.store.revision
    shown = api.create(CONFIG_MAP, named(), options=WriteOptions(dry_run=True))
    assert shown["metadata"]["uid"]
    assert "resourceVersion" not in shown["metadata"]
    assert (api.store.revision, api.find(CONFIG_MAP, "t", "x"), watch.take()) == (revision, None, [])
    api.create(CONFIG_MAP, named())
    assert refusal(api.create, CONFIG_MAP, named(), options=WriteOptions(dry_run=True)).code == 409
