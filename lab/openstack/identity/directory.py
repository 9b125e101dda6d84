"""Domains, projects, users and who has which role where.  Ids follow from the seed, passwords do not."""

from __future__ import annotations

import random
import secrets
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

DEFAULT_DOMAIN, TEST_DOMAIN = "Default", "cc3test"
ADMIN, MANAGER, DEMO = "admin", "manager", "demo"  # users
ROLES = ("admin", "manager", "member", "reader")
_IMPLIED = {  # keystone's default inference: the one includes the others
    "admin": ("admin", "manager", "member", "reader"),
    "manager": ("manager", "member", "reader"),
    "member": ("member", "reader"),
    "reader": ("reader",),
}


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project."""

    id: str
    name: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class User:
    """A user."""

    id: str
    name: str
    domain: Domain
    password: str


class Directory:
    """What Keystone knows; the operator wants project `test` in domain `cc3test` (hypervisor-operator sheet §4)."""

    def __init__(self, projects: Iterable[str], seed: int) -> None:
        """`projects`: names in the default domain, beside `admin` and `demo`."""
        rng = random.Random(f"{seed}/openstack/identity")

        def new_id() -> str:
            return uuid.UUID(int=rng.getrandbits(128), version=4).hex

        default, test = Domain("default", DEFAULT_DOMAIN), Domain(new_id(), TEST_DOMAIN)
        self.domains = (default, test)
        self.roles = {name: new_id() for name in ROLES}
        names = dict.fromkeys(("admin", "demo", *projects))
        self.projects = (*(Project(new_id(), name, default) for name in names), Project(new_id(), "test", test))
        self.users = tuple(User(new_id(), name, default, secrets.token_urlsafe(18)) for name in (ADMIN, MANAGER, DEMO))

    def domain(self, key: str) -> Domain | None:
        """A domain by id or name."""
        return next((domain for domain in self.domains if key in (domain.id, domain.name)), None)

    def project(self, name: str, domain: Domain) -> Project | None:
        """A project by its name in a domain."""
        return next((one for one in self.projects if (one.name, one.domain) == (name, domain)), None)

    def project_by_id(self, project_id: str) -> Project | None:
        """A project by its id."""
        return next((project for project in self.projects if project.id == project_id), None)

    def user(self, name: str, domain: Domain) -> User | None:
        """A user by name in a domain."""
        return next((user for user in self.users if (user.name, user.domain) == (name, domain)), None)

    def user_by_id(self, user_id: str) -> User | None:
        """A user by id."""
        return next((user for user in self.users if user.id == user_id), None)

    def default_project(self, name: str) -> Project:
        """A project of the default domain that exists. Raises LookupError."""
        found = self.project(name, self.domains[0])
        if found is None:
            raise LookupError(f"the cloud has no project {name!r}")
        return found

    def roles_in(self, user: User, project: Project | None) -> tuple[str, ...]:
        """Names of the roles the user has in a project (None: in the system or a domain), implied ones included."""
        if user.name == ADMIN:
            return _IMPLIED["admin"]
        held = {MANAGER: "manager", DEMO: "member"}[user.name]
        return _IMPLIED[held] if project is not None and project.name == "demo" else ()
