"""Somebody who acts on nothing: answers from memory, and remembers what was asked."""

from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

from utilities.errors import NotFound
from utilities.site import Product, Timeouts


@dataclass
class MemoryRest:
    """Objects by plural and name, lists by plural or by plural and labels; writes are remembered, not made."""

    objects: dict[tuple[str, str], dict] = field(default_factory=dict)
    lists: dict[str | tuple[str, str], list[dict]] = field(default_factory=dict)
    written: list[tuple] = field(default_factory=list)

    def get(self, resource, name, namespace=None):
        if (resource.plural, name) not in self.objects:
            raise NotFound(name, next_step="look", code=404)
        return self.objects[resource.plural, name]

    def list(self, resource, namespace=None, *, labels=None, fields=None):
        return {"items": self.lists.get((resource.plural, labels)) or self.lists.get(resource.plural, [])}

    def create(self, resource, body, namespace=None, *, dry_run=False):
        self.written.append(("create", resource.plural, body, namespace))
        name = body["metadata"].get("name") or body["metadata"]["generateName"] + "x"
        return {**body, "metadata": {**body["metadata"], "name": name, "uid": "uid-1"}}

    def patch(self, resource, name, body, namespace=None, **_):
        self.written.append(("patch", resource.plural, name, body, namespace))
        return {}

    def delete(self, resource, name, namespace=None, *, uid=None):
        self.written.append(("delete", resource.plural, name, namespace, uid))


@dataclass
class Remembering:
    """An Actor on a site with this product. `changes` are those made for a block, with their end.

    owed: what somebody else would have to wait for who takes them back, with how many changes had been made by then.
    """

    rest: MemoryRest
    product: dict = field(default_factory=dict)
    changes: list[tuple[str, object]] = field(default_factory=list)
    owed: list[tuple[object, int]] = field(default_factory=list)
    waits: object = field(default_factory=lambda: SimpleNamespace(wait_for=lambda *_, **__: {}))

    @property
    def site(self):
        product = Product.model_validate(self.product)
        return SimpleNamespace(product=product, timeouts=Timeouts(), time_scale=100.0)

    @contextmanager
    def applied(self, change):
        self.changes.append(("made", change))
        body = getattr(change, "body", {})
        metadata = {} if callable(body) else body.get("metadata", {})
        yield {"metadata": {"name": metadata.get("name") or metadata.get("generateName", "") + "x"}}
        self.changes.append(("undone", change))

    @contextmanager
    def awaited(self, entry):
        self.owed.append((entry, len(self.changes)))
        yield
        self.owed.append((None, len(self.changes)))
