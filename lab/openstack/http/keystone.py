"""Keystone v3: discovery, tokens, and reading what there is (openstack sheet §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.clock import micro_timestamp
from lab.openstack.http.calls import Call
from lab.openstack.http.replies import Reply, keystone_form
from lab.openstack.http.routing import Route, Service
from lab.openstack.identity.directory import Directory, Domain, Project, User
from lab.openstack.identity.tokens import Scope, Token
from lab.openstack.refusals import NotSimulatedError, RefusalError

UNAUTHORIZED = "The request you have made requires authentication."
CATALOG = (  # type, name, path below the front
    ("identity", "keystone", "identity"),
    ("compute", "nova", "compute/v2.1"),
    ("placement", "placement", "placement"),
    ("image", "glance", "image"),
    ("network", "neutron", "network"),
)
_METHODS = ("password", "token")


def unauthorized() -> RefusalError:
    """401: no token, or one that does not hold."""
    return RefusalError(401, UNAUTHORIZED)


def _document(call: Call) -> dict[str, Any]:
    return {
        "id": "v3.14",
        "status": "stable",
        "updated": "2020-04-07T00:00:00Z",
        "links": [{"rel": "self", "href": f"{call.base}/v3/"}],
        "media-types": [{"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}],
    }


def _root(call: Call) -> Reply:
    return Reply(300, {"versions": {"values": [_document(call)]}}, {"Location": f"{call.base}/v3/"})


def _v3(call: Call) -> Reply:
    return Reply(200, {"version": _document(call)})


def _authenticate(call: Call) -> Reply:
    auth = call.json().get("auth")
    identity = auth.get("identity") if isinstance(auth, dict) else None
    if not isinstance(auth, dict) or not isinstance(identity, dict):
        raise RefusalError(400, "'auth' is a required property")
    methods = identity.get("methods") or []
    unknown = [method for method in methods if method not in _METHODS]
    if unknown:
        raise NotSimulatedError(f"authentication by {unknown[0]}")
    if methods == ["password"]:
        user = _by_password(call.cloud.directory, identity.get("password") or {})
    elif methods == ["token"]:
        before = call.cloud.tokens.find(str((identity.get("token") or {}).get("id")))
        user = before.user if before is not None else None
    else:
        raise RefusalError(400, "exactly one authentication method is needed")
    if user is None:
        raise unauthorized()
    scope = _scope(call.cloud.directory, auth.get("scope"))
    roles = call.cloud.directory.roles_in(user, scope if isinstance(scope, Project) else None) if scope else ()
    if scope is not None and not roles:
        raise unauthorized()
    token = call.cloud.tokens.issue(user, scope, roles, tuple(methods))
    return Reply(201, {"token": _token_body(call, token)}, {"X-Subject-Token": token.id, "Vary": "X-Auth-Token"})


def _by_password(directory: Directory, wanted: Mapping[str, Any]) -> User | None:
    given = wanted.get("user") or {}
    if "id" in given:
        user = directory.user_by_id(str(given["id"]))
    else:
        domain = _domain(directory, given.get("domain"))
        user = directory.user(str(given.get("name")), domain) if domain is not None else None
    return user if user is not None and user.password == given.get("password") else None


def _domain(directory: Directory, given: object) -> Domain | None:
    if not isinstance(given, dict):
        return None
    return directory.domain(str(given.get("id") or given.get("name")))


def _scope(directory: Directory, given: object) -> Scope:
    """What the token is for; refuses with 401 what there is not."""
    if not isinstance(given, dict) or not given or "unscoped" in given:
        return None
    found: Scope = None
    if "system" in given:
        found = "system"
    elif "domain" in given:
        found = _domain(directory, given["domain"])
    elif "project" in given:
        wanted = given["project"]
        if "id" in wanted:
            found = directory.project_by_id(str(wanted["id"]))
        else:
            domain = _domain(directory, wanted.get("domain"))
            found = directory.project(str(wanted.get("name")), domain) if domain is not None else None
    if found is None:
        raise unauthorized()
    return found


def _token_body(call: Call, token: Token) -> dict[str, Any]:
    directory = call.cloud.directory
    body: dict[str, Any] = {
        "methods": list(token.methods),
        "user": {**_named(token.user), "domain": _named(token.user.domain), "password_expires_at": None},
        "audit_ids": [token.audit_id],
        "issued_at": micro_timestamp(token.issued),
        "expires_at": micro_timestamp(token.expires),
    }
    if token.scope is None:
        return body
    if token.scope == "system":
        body["system"] = {"all": True}
    elif isinstance(token.scope, Project):
        body |= {"project": {**_named(token.scope), "domain": _named(token.scope.domain)}, "is_domain": False}
    else:
        body["domain"] = _named(token.scope)
    roles = [{"id": directory.roles[name], "name": name} for name in token.roles]
    return {**body, "roles": roles, "catalog": _catalog(call)}


def _named(thing: User | Project | Domain) -> dict[str, str]:
    return {"id": thing.id, "name": thing.name}


def _catalog(call: Call) -> list[dict[str, Any]]:
    region = call.cloud.shape.region
    return [
        {
            "id": f"{number:032x}",
            "type": kind,
            "name": name,
            "endpoints": [
                {
                    "id": f"{number:031x}{index}",
                    "interface": interface,
                    "region": region,
                    "region_id": region,
                    "url": f"{call.root}/{path}",
                }
                for index, interface in enumerate(("public", "internal", "admin"))
            ],
        }
        for number, (kind, name, path) in enumerate(CATALOG, 1)
    ]


def _subject(call: Call) -> Token:
    token = call.cloud.tokens.find(call.headers.get("X-Subject-Token", ""))
    if token is None:
        raise RefusalError(404, "Could not find token.")
    return token


def _validate(call: Call) -> Reply:
    token = _subject(call)
    return Reply(200, {"token": _token_body(call, token)}, {"X-Subject-Token": token.id})


def _revoke(call: Call) -> Reply:
    call.cloud.tokens.revoke(_subject(call).id)
    return Reply(204)


def _auth_catalog(call: Call) -> Reply:
    return Reply(200, {"catalog": _catalog(call), "links": {"self": f"{call.base}/v3/auth/catalog"}})


def _auth_projects(call: Call) -> Reply:
    token, directory = call.demand_token(), call.cloud.directory
    mine = [project for project in directory.projects if directory.roles_in(token.user, project)]
    return _listed(call, "projects", [_project(call, project) for project in mine])


def _projects(call: Call) -> Reply:
    _demand_admin(call, "identity:list_projects")
    found = [project for project in call.cloud.directory.projects if _wanted(call, project)]
    return _listed(call, "projects", [_project(call, project) for project in found])


def _show_project(call: Call) -> Reply:
    project = call.cloud.directory.project_by_id(call.name("id"))
    if project is None:
        raise RefusalError(404, f"Could not find project: {call.name('id')}.")
    if call.project != project:
        _demand_admin(call, "identity:get_project")
    return Reply(200, {"project": _project(call, project)})


def _users(call: Call) -> Reply:
    _demand_admin(call, "identity:list_users")
    return _listed(call, "users", [_user(call, user) for user in call.cloud.directory.users if _wanted(call, user)])


def _show_user(call: Call) -> Reply:
    user = call.cloud.directory.user_by_id(call.name("id"))
    if user is None:
        raise RefusalError(404, f"Could not find user: {call.name('id')}.")
    if call.demand_token().user != user:
        _demand_admin(call, "identity:get_user")
    return Reply(200, {"user": _user(call, user)})


def _domains(call: Call) -> Reply:
    _demand_admin(call, "identity:list_domains")
    name = call.query.get("name")
    found = [domain for domain in call.cloud.directory.domains if name in (None, domain.name)]
    return _listed(call, "domains", [_domain_body(call, domain) for domain in found])


def _show_domain(call: Call) -> Reply:
    domain = next((one for one in call.cloud.directory.domains if one.id == call.name("id")), None)
    if domain is None:
        raise RefusalError(404, f"Could not find domain: {call.name('id')}.")
    _demand_admin(call, "identity:get_domain")
    return Reply(200, {"domain": _domain_body(call, domain)})


def _wanted(call: Call, thing: User | Project) -> bool:
    name, domain = call.query.get("name"), call.query.get("domain_id")
    return name in (None, thing.name) and domain in (None, thing.domain.id)


def _project(call: Call, project: Project) -> dict[str, Any]:
    return {
        **_named(project),
        "domain_id": project.domain.id,
        "parent_id": project.domain.id,
        "description": "",
        "enabled": True,
        "is_domain": False,
        "options": {},
        "tags": [],
        "links": {"self": f"{call.base}/v3/projects/{project.id}"},
    }


def _user(call: Call, user: User) -> dict[str, Any]:
    return {
        **_named(user),
        "domain_id": user.domain.id,
        "enabled": True,
        "options": {},
        "password_expires_at": None,
        "links": {"self": f"{call.base}/v3/users/{user.id}"},
    }


def _domain_body(call: Call, domain: Domain) -> dict[str, Any]:
    links = {"self": f"{call.base}/v3/domains/{domain.id}"}
    return {**_named(domain), "description": "", "enabled": True, "options": {}, "tags": [], "links": links}


def _listed(call: Call, name: str, entries: list[dict[str, Any]]) -> Reply:
    links = {"self": f"{call.base}{call.path}", "previous": None, "next": None}
    return Reply(200, {name: entries, "links": links})


def _demand_admin(call: Call, rule: str) -> None:
    if "admin" not in call.demand_token().roles:
        raise RefusalError(403, f"You are not authorized to perform the requested action: {rule}.")


KEYSTONE = Service(
    "identity",
    keystone_form,
    (
        Route("GET", "", _root, open=True),
        Route("GET", "v3", _v3, open=True),
        Route("GET", "v3/", _v3, open=True),
        Route("POST", "v3/auth/tokens", _authenticate, open=True),
        Route("GET", "v3/auth/tokens", _validate),
        Route("DELETE", "v3/auth/tokens", _revoke),
        Route("GET", "v3/auth/catalog", _auth_catalog),
        Route("GET", "v3/auth/projects", _auth_projects),
        Route("GET", "v3/projects", _projects),
        Route("GET", "v3/projects/{id}", _show_project),
        Route("GET", "v3/users", _users),
        Route("GET", "v3/users/{id}", _show_user),
        Route("GET", "v3/domains", _domains),
        Route("GET", "v3/domains/{id}", _show_domain),
    ),
)
