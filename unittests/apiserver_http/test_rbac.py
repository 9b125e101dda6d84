"""RBAC rules and the texts of refusals, without a server."""

import random

import pytest

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.auth import defaults
from lab.apiserver.auth.attributes import Attributes, forbidden_text, name_in_selector, verb_of
from lab.apiserver.auth.identity import ANONYMOUS, Credentials, authenticated, identify, service_account
from lab.apiserver.auth.impersonation import impersonate
from lab.apiserver.auth.rbac import Authorizer, allows
from lab.apiserver.builtin.kinds import BUILTIN, CLUSTER_ROLE, ROLE_BINDING
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.strategies import Strategies
from lab.clock import ManualClock

USER = authenticated("u", ("team",))


@pytest.fixture
def api() -> Api:
    api = Api(Store(), ManualClock(), Catalogue(BUILTIN), Admission(), Strategies(), random.Random(1))
    defaults.install(api)
    return api


@pytest.mark.parametrize(
    ("rule", "wanted", "allowed"),
    [
        ({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}, Attributes("get", "", "pods"), True),
        ({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}, Attributes("list", "", "pods"), False),
        ({"verbs": ["*"], "apiGroups": [""], "resources": ["pods"]}, Attributes("get", "", "pods", "log"), False),
        ({"verbs": ["*"], "apiGroups": [""], "resources": ["pods/log"]}, Attributes("get", "", "pods", "log"), True),
        ({"verbs": ["*"], "apiGroups": [""], "resources": ["*/log"]}, Attributes("get", "", "pods", "log"), True),
        ({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, Attributes("get", "apps", "x", "scale"), True),
        ({"verbs": ["*"], "apiGroups": ["apps"], "resources": ["*"]}, Attributes("get", "", "pods"), False),
        (
            {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]},
            Attributes("get", "", "pods", name="b"),
            False,
        ),
        ({"verbs": ["get"], "nonResourceURLs": ["/api/*"]}, Attributes("get", path="/api/v1"), True),
        ({"verbs": ["get"], "nonResourceURLs": ["/version"]}, Attributes("get", path="/versions"), False),
    ],
)
def test_rules(rule, wanted, allowed):
    assert allows(rule, wanted) is allowed


def test_masters_may_do_everything(api):
    assert Authorizer(api.store).decide(authenticated("root", ("system:masters",)), Attributes("x", "y", "z")).allowed


def test_everybody_may_discover_and_ask_about_himself(api):
    decide = Authorizer(api.store).decide
    assert decide(USER, Attributes("get", path="/apis/apps/v1")).allowed
    assert decide(USER, Attributes("create", "authorization.k8s.io", "selfsubjectaccessreviews")).allowed
    assert not decide(USER, Attributes("list", "", "nodes")).allowed


def test_the_anonymous_see_version_and_health_only(api):
    decide = Authorizer(api.store).decide
    assert decide(ANONYMOUS, Attributes("get", path="/version")).allowed
    assert not decide(ANONYMOUS, Attributes("get", path="/apis")).allowed


def test_a_role_binding_reaches_its_namespace_only_and_says_why(api):
    role = {"kind": "ClusterRole", "name": "view", "apiGroup": "rbac.authorization.k8s.io"}
    api.create(ROLE_BINDING, {
        "metadata": {"name": "b", "namespace": "t"}, "roleRef": role,
        "subjects": [{"kind": "ServiceAccount", "name": "s", "namespace": "other"}, {"kind": "User", "name": "u"}],
    })  # fmt: skip
    authorizer = Authorizer(api.store)
    inside = authorizer.decide(USER, Attributes("list", "", "pods", namespace="t"))
    assert inside.reason == 'RBAC: allowed by RoleBinding "b/t" of ClusterRole "view" to User "u"'
    assert not authorizer.decide(USER, Attributes("list", "", "pods", namespace="x")).allowed
    assert not authorizer.decide(USER, Attributes("create", "", "pods", namespace="t")).allowed
    assert authorizer.decide(service_account("other", "s"), Attributes("get", "", "pods", namespace="t")).allowed


def test_cluster_roles_aggregate_by_label(api):
    rule = {"apiGroups": ["kubevirt.io"], "resources": ["virtualmachines"], "verbs": ["get"]}
    labels = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    api.create(CLUSTER_ROLE, {"metadata": {"name": "kubevirt.io:view", "labels": labels}, "rules": [rule]})
    api.clock.advance(1)
    assert rule in api.get(CLUSTER_ROLE, "", "view")["rules"]
    api.delete(CLUSTER_ROLE, "", "kubevirt.io:view")
    api.clock.advance(1)
    assert rule not in api.get(CLUSTER_ROLE, "", "view")["rules"]


def test_edit_contains_view_and_admin_contains_edit(api):
    rules = {name: api.get(CLUSTER_ROLE, "", name)["rules"] for name in ("view", "edit", "admin")}
    assert rules["view"]
    assert all(rule in rules["edit"] for rule in rules["view"])
    assert all(rule in rules["admin"] for rule in rules["edit"])


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            Attributes("get", "", "nodes", name="n1"),
            'nodes "n1" is forbidden: User "u" cannot get resource "nodes" in API group "" at the cluster scope',
        ),
        (
            Attributes("get", "", "pods", "log", "x", "p"),
            'pods "p" is forbidden: User "u" cannot get resource "pods/log" in API group "" in the namespace "x"',
        ),
        (
            Attributes("list", "apps", "deployments"),
            'deployments.apps is forbidden: User "u" cannot list resource "deployments" in API group "apps" '
            "at the cluster scope",
        ),
        (Attributes("get", path="/apis"), 'forbidden: User "u" cannot get path "/apis"'),
    ],
)
def test_the_text_of_a_refusal(wanted, text):
    assert forbidden_text("u", wanted).message == text


def test_verbs_of_methods():
    assert verb_of("GET", named=False, watch=True) == "watch"
    assert verb_of("GET", named=True, watch=True) == "get"
    assert verb_of("DELETE", named=False, watch=False) == "deletecollection"
    assert name_in_selector("metadata.name==x") == "x"
    assert name_in_selector("metadata.name!=x") == ""


def test_identities():
    credentials = Credentials()
    credentials.add("good", USER, expires=10.0)
    assert identify(credentials, "Bearer good", None, 9.0) is USER
    assert identify(credentials, None, None, 0.0) is ANONYMOUS
    subject = ((("organizationName", "system:masters"),), (("commonName", "root"),))
    assert identify(credentials, None, {"subject": subject}, 0.0).is_admin
    for header, now in (("Bearer good", 10.0), ("Bearer bad", 0.0), ("Basic good", 0.0)):
        with pytest.raises(ApiError) as refusal:
            identify(credentials, header, None, now)
        assert refusal.value.code == 401


def test_impersonation_needs_the_right_to_it(api):
    authorizer = Authorizer(api.store)
    root = authenticated("root", ("system:masters",))
    assert impersonate(authorizer, root, "v", ("g",)) == authenticated("v", ("g",))
    assert impersonate(authorizer, root, "system:serviceaccount:t:s", ()) == service_account("t", "s")
    assert impersonate(authorizer, USER, None, ()) is USER
    with pytest.raises(ApiError, match="cannot impersonate resource"):
        impersonate(authorizer, USER, "root", ())
