"""Reviews: may somebody do something, who am I, whose token is this. Answered, never stored (sheet §1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.auth.attributes import Attributes
from lab.apiserver.auth.identity import Credentials, User
from lab.apiserver.auth.rbac import Authorizer
from lab.apiserver.errors import ApiError, Cause, bad_request, invalid
from lab.apiserver.resources import Resource

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Answers the reviews of one server."""

    authorizer: Authorizer
    credentials: Credentials

    def status(self, resource: Resource, body: Body, user: User, namespace: str, now: float) -> dict[str, object]:
        """The `status` of a review of this kind. `namespace` is that of the path (LocalSubjectAccessReview)."""
        spec: Body = body.get("spec") or {}
        answers: dict[str, Callable[[], dict[str, object]]] = {
            "SelfSubjectAccessReview": lambda: self._access(resource, spec, user),
            "SubjectAccessReview": lambda: self._access(resource, spec, _subject(resource, spec)),
            "LocalSubjectAccessReview": lambda: self._local(resource, spec, namespace),
            "SelfSubjectRulesReview": lambda: self._rules(spec, user),
            "SelfSubjectReview": lambda: {"userInfo": user.to_json()},
            "TokenReview": lambda: self._token(spec, now),
        }
        return answers[resource.kind]()

    def _access(self, resource: Resource, spec: Body, user: User) -> dict[str, object]:
        decision = self.authorizer.decide(user, _attributes(resource, spec))
        body: dict[str, object] = {"allowed": decision.allowed}
        return {**body, "reason": decision.reason} if decision.reason else body

    def _local(self, resource: Resource, spec: Body, namespace: str) -> dict[str, object]:
        inside = (spec.get("resourceAttributes") or {}).get("namespace") or ""
        if inside != namespace:
            raise bad_request(f"spec.resourceAttributes.namespace must match namespace: {namespace}")
        return self._access(resource, spec, _subject(resource, spec))

    def _rules(self, spec: Body, user: User) -> dict[str, object]:
        rules: list[Mapping[str, Any]] = [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
            {"nonResourceURLs": ["*"], "verbs": ["*"]},
        ]
        if not user.is_admin:
            rules = [grant.rule for grant in self.authorizer.grants(user, spec.get("namespace") or "")]
        on_paths = [dict(rule) for rule in rules if rule.get("nonResourceURLs")]
        on_resources = [dict(rule) for rule in rules if not rule.get("nonResourceURLs")]
        return {"resourceRules": on_resources, "nonResourceRules": on_paths, "incomplete": False}

    def _token(self, spec: Body, now: float) -> dict[str, object]:
        token = spec.get("token")
        if not token:
            return {"user": {}, "error": "no token given"}
        user = self.credentials.user_of(token, now)
        if user is None:
            return {"user": {}, "error": "[invalid bearer token, unknown token]"}
        return {"authenticated": True, "user": user.to_json()}


def _subject(resource: Resource, spec: Body) -> User:
    name, groups = spec.get("user") or "", tuple(spec.get("groups") or ())
    if not name and not groups:
        raise _wrong(resource, "spec.user", 'Invalid value: "": at least one of user or group must be specified')
    return User(name, groups)


def _attributes(resource: Resource, spec: Body) -> Attributes:
    wanted: Body = spec.get("resourceAttributes") or {}
    path: Body = spec.get("nonResourceAttributes") or {}
    if bool(wanted) == bool(path):
        problem = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        raise _wrong(resource, "spec.resourceAttributes", f"Invalid value: null: {problem}")
    if path:
        return Attributes(path.get("verb") or "", path=path.get("path") or "")
    words = ("verb", "group", "resource", "subresource", "namespace", "name")
    return Attributes(*(str(wanted.get(word) or "") for word in words))


def _wrong(resource: Resource, field: str, message: str) -> ApiError:
    return invalid(resource, "", [Cause("FieldValueInvalid", message, field)])
