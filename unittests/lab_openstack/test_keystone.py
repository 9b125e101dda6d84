"""Keystone on the wire (openstack sheet §1)."""

import re

import pytest

from unittests.lab_openstack.live import Client


def password(live, name="admin"):
    return next(user.password for user in live.cloud.directory.users if user.name == name)


def identity(name, secret):
    who = {"name": name, "password": secret, "domain": {"name": "Default"}}
    return {"methods": ["password"], "password": {"user": who}}


def test_discovery_needs_no_token(live):
    client = Client(live.url)
    root = client.send("GET", "/identity")
    assert root.status == 300
    assert root.headers["location"] == f"{live.url}/identity/v3/"
    (version,) = root.json["versions"]["values"]
    assert (version["id"], version["status"]) == ("v3.14", "stable")
    assert client.send("GET", "/identity/v3").json == {"version": version}
    assert client.send("GET", "/identity/v3/").status == 200


def test_a_token_by_password(live):
    answer = Client(live.url).log_in("admin", password(live), "admin")
    token = answer.json["token"]
    assert answer.headers["x-subject-token"]
    assert token["methods"] == ["password"]
    assert token["user"]["name"] == "admin"
    assert token["project"]["domain"] == {"id": "default", "name": "Default"}
    assert "admin" in {role["name"] for role in token["roles"]}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", token["expires_at"])
    catalog = {entry["type"]: entry["endpoints"] for entry in token["catalog"]}
    assert set(catalog) == {"identity", "compute", "placement", "image", "network"}
    assert {one["interface"] for one in catalog["compute"]} == {"public", "internal", "admin"}
    assert catalog["compute"][0]["url"] == f"{live.url}/compute/v2.1"
    assert catalog["image"][0]["url"] == f"{live.url}/image"  # unversioned, for gophercloud


def test_the_operator_gets_its_second_token_for_the_test_project(live):
    client = Client(live.url)
    answer = client.log_in("admin", password(live), "test", "cc3test")
    assert answer.json["token"]["project"]["domain"]["name"] == "cc3test"


def test_a_token_by_token_and_by_ids(live, admin):
    directory = live.cloud.directory
    project = directory.default_project("demo")
    body = {"auth": {
        "identity": {"methods": ["token"], "token": {"id": admin.headers["X-Auth-Token"]}},
        "scope": {"project": {"id": project.id}},
    }}  # fmt: skip
    answer = admin.send("POST", "/identity/v3/auth/tokens", body)
    assert (answer.status, answer.json["token"]["project"]["id"]) == (201, project.id)
    user = next(user for user in directory.users if user.name == "demo")
    body = {"auth": {"identity": {"methods": ["password"],
                                  "password": {"user": {"id": user.id, "password": user.password}}}}}  # fmt: skip
    answer = admin.send("POST", "/identity/v3/auth/tokens", body)
    assert answer.status == 201
    assert "catalog" not in answer.json["token"]


@pytest.mark.parametrize(
    ("user", "secret", "scope"),
    [
        ("admin", "wrong", {"project": {"name": "admin", "domain": {"name": "Default"}}}),
        ("nobody", None, {"project": {"name": "admin", "domain": {"name": "Default"}}}),
        ("admin", None, {"project": {"name": "nowhere", "domain": {"name": "Default"}}}),
        ("demo", None, {"project": {"name": "admin", "domain": {"name": "Default"}}}),
    ],
)
def test_who_is_not_let_in(live, user, secret, scope):
    known = {one.name: one.password for one in live.cloud.directory.users}
    body = {"auth": {"identity": identity(user, secret or known.get(user, "x")), "scope": scope}}
    answer = Client(live.url).send("POST", "/identity/v3/auth/tokens", body)
    assert answer.status == 401
    assert answer.json["error"] == {
        "code": 401,
        "title": "Unauthorized",
        "message": "The request you have made requires authentication.",
    }


@pytest.mark.parametrize("scope", [{"system": {"all": True}}, {"domain": {"id": "default"}}])
def test_other_scopes(live, scope):
    body = {"auth": {"identity": identity("admin", password(live)), "scope": scope}}
    token = Client(live.url).send("POST", "/identity/v3/auth/tokens", body).json["token"]
    assert next(iter(scope)) in token


def test_tokens_are_shown_revoked_and_expire(live, admin):
    subject = {"X-Subject-Token": admin.headers["X-Auth-Token"]}
    shown = admin.send("GET", "/identity/v3/auth/tokens", **subject)
    assert shown.status == 200
    assert shown.json["token"]["user"]["name"] == "admin"
    assert admin.send("HEAD", "/identity/v3/auth/tokens", **subject).status == 200
    other = live.client()
    subject = {"X-Subject-Token": other.headers["X-Auth-Token"]}
    assert admin.send("DELETE", "/identity/v3/auth/tokens", **subject).status == 204
    refused = other.nova("GET", "/servers")
    assert refused.status == 401
    assert refused.headers["www-authenticate"] == f'Keystone uri="{live.url}/identity"'
    assert refused.json["error"]["code"] == 401
    live.advance(3601)
    assert admin.nova("GET", "/servers").status == 401
    live.call(live.cloud.tokens.expire_all)


@pytest.mark.parametrize(
    "path",
    [
        "/compute/v2.1/servers",
        "/compute/v2.1/nothing",
        "/placement/resource_providers",
        "/image/v2/images",
        "/network/v2.0/networks",
        "/identity/v3/projects",
    ],
)
def test_without_a_token_nothing_is_said(live, path):
    answer = Client(live.url).send("GET", path)
    assert (answer.status, answer.json["error"]["title"]) == (401, "Unauthorized")


def test_reading_what_there_is(live, admin, demo):
    projects = admin.send("GET", "/identity/v3/projects?name=demo").json["projects"]
    assert [project["name"] for project in projects] == ["demo"]
    assert admin.send("GET", f"/identity/v3/projects/{projects[0]['id']}").json["project"]["enabled"] is True
    assert demo.send("GET", f"/identity/v3/projects/{projects[0]['id']}").status == 200
    assert demo.send("GET", "/identity/v3/projects").status == 403
    assert [one["name"] for one in demo.send("GET", "/identity/v3/auth/projects").json["projects"]] == ["demo"]
    users = admin.send("GET", "/identity/v3/users").json["users"]
    assert {user["name"] for user in users} == {"admin", "manager", "demo"}
    assert admin.send("GET", f"/identity/v3/users/{users[0]['id']}").status == 200
    assert admin.send("GET", "/identity/v3/users/nobody").json["error"]["message"] == "Could not find user: nobody."
    domains = admin.send("GET", "/identity/v3/domains").json["domains"]
    assert [domain["name"] for domain in domains] == ["Default", "cc3test"]
    assert admin.send("GET", "/identity/v3/domains/default").json["domain"]["id"] == "default"
    assert admin.send("GET", "/identity/v3/auth/catalog").json["catalog"]


def test_what_is_not_simulated_is_said_in_keystones_form(admin):
    answer = admin.send("GET", "/identity/v3/role_assignments")
    assert answer.json == {"error": {
        "code": 501, "title": "Not Implemented",
        "message": "the lab does not simulate GET /identity/v3/role_assignments",
    }}  # fmt: skip
    body = {"auth": {"identity": {"methods": ["application_credential"]}}}
    assert admin.send("POST", "/identity/v3/auth/tokens", body).status == 501
    assert admin.send("GET", "/volume/v3").status == 501
    assert admin.send("POST", "/identity/v3/auth/tokens", b"{").status == 400
