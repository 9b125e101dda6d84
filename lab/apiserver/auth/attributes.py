"""What a request wants to do, in the words authorization rules are written in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.apiserver.errors import ApiError

_VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_COLLECTION = {"get": "list", "delete": "deletecollection"}
_BY_NAME = re.compile(r"^metadata\.name==?([^,=!]+)$")


@dataclass(frozen=True, slots=True)
class Attributes:
    """A verb on a resource, or on a path when `path` is set. `namespace` "": cluster scope or all namespaces."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def resource_text(self) -> str:
        """`pods`, or `pods/log` for a subresource, as rules and messages have it."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def verb_of(method: str, *, named: bool, watch: bool) -> str:
    """The verb of an HTTP method on an object (`named`) or a collection."""
    verb = _VERBS.get(method, method.lower())
    if named:
        return verb
    return "watch" if watch and verb == "get" else _COLLECTION.get(verb, verb)


def name_in_selector(selector: str) -> str:
    """The one name a field selector asks for (`metadata.name=x`), else ""."""
    match = _BY_NAME.match(selector)
    return match[1] if match else ""


def forbidden_text(user: str, wanted: Attributes) -> ApiError:
    """403 in the server's words (sheet §1.5)."""
    if wanted.path:
        message = f'forbidden: User "{user}" cannot {wanted.verb} path "{wanted.path}"'
        return ApiError(403, "Forbidden", message, {})
    where = f'in the namespace "{wanted.namespace}"' if wanted.namespace else "at the cluster scope"
    qualified = f"{wanted.resource}.{wanted.group}" if wanted.group else wanted.resource
    subject = f'{qualified} "{wanted.name}"' if wanted.name else qualified
    message = (
        f'{subject} is forbidden: User "{user}" cannot {wanted.verb} resource "{wanted.resource_text}" '
        f'in API group "{wanted.group}" {where}'
    )
    details = {"name": wanted.name, "group": wanted.group, "kind": wanted.resource}
    return ApiError(403, "Forbidden", message, {key: value for key, value in details.items() if value})
