"""The kinds the server knows: one frozen description per group, version and plural, and the catalogue of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

Convert = Callable[[Mapping[str, object]], dict[str, object]]
ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Column:
    """A printer column: `path` is a JSONPath of the subset CRDs use; priority 1 shows with `-o wide` only."""

    name: str
    type: str
    path: str
    priority: int = 0
    format: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """Where `/scale` reads and writes an object: JSONPaths such as `.spec.replicas`; `selector` may be empty."""

    replicas: str
    status_replicas: str
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind in one version, as discovery describes it.

    Objects are stored once per `(group, plural)`, in the storage version; `to_storage` and `from_storage` convert
    from and to this version (None: only apiVersion differs).
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()  # such as ("status", "scale"); verbs follow from the name
    verbs: tuple[str, ...] = ALL_VERBS
    singular: str = ""
    list_kind: str = ""
    custom: bool = False  # from a CustomResourceDefinition
    generation: bool = False  # metadata.generation is kept (CRs, Pod, Deployment, ...)
    unconditional_update: bool = True  # PUT without resourceVersion overwrites (never for CRs, Lease, PDB, CRD)
    create_on_update: bool = False  # PUT may create (Lease, Event, RBAC)
    selectable_fields: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    scale: ScalePaths | None = None  # of custom resources with a scale subresource
    schema: Mapping[str, object] | None = field(default=None, hash=False, compare=False)
    store_plural: str = ""  # stored under another key (events.k8s.io events live with core events)
    store_group: str | None = None
    to_storage: Convert | None = field(default=None, hash=False, compare=False)
    from_storage: Convert | None = field(default=None, hash=False, compare=False)
    api_version: str = field(init=False, repr=False, compare=False)  # `v1` or `group/version`
    key: tuple[str, str] = field(init=False, repr=False, compare=False)  # where objects of this kind are stored

    def __post_init__(self) -> None:
        group = self.group if self.store_group is None else self.store_group
        object.__setattr__(self, "api_version", f"{self.group}/{self.version}" if self.group else self.version)
        object.__setattr__(self, "key", (group, self.store_plural or self.plural))

    @property
    def qualified(self) -> str:
        """`plural` or `plural.group`, as messages name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def singular_name(self) -> str:
        """Singular, by default the kind in lower case."""
        return self.singular or self.kind.lower()

    @property
    def list_kind_name(self) -> str:
        """Kind of a list of these."""
        return self.list_kind or f"{self.kind}List"


class Catalogue:
    """Every kind served now; custom resources come and go at run time."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._by_path: dict[tuple[str, str, str], Resource] = {}
        for resource in resources:
            self.add(resource)

    def add(self, resource: Resource) -> None:
        """Serve this kind (again: replaces the description)."""
        self._by_path[resource.group, resource.version, resource.plural] = resource

    def remove(self, resource: Resource) -> None:
        """Stop serving this kind."""
        self._by_path.pop((resource.group, resource.version, resource.plural), None)

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """The kind at `/apis/group/version/plural`, None if it is not served."""
        return self._by_path.get((group, version, plural))

    def by_kind(self, api_version: str, kind: str) -> Resource | None:
        """The kind an object's apiVersion and kind name; `/v1` counts as `v1` (trap T14)."""
        group, _, version = api_version.rpartition("/")
        for resource in self._by_path.values():
            if resource.kind == kind and resource.group == group and resource.version == version:
                return resource
        return None

    def in_group(self, group: str) -> tuple[Resource, ...]:
        """All kinds of one group, in the order they were added."""
        return tuple(resource for resource in self._by_path.values() if resource.group == group)

    def __iter__(self) -> Iterator[Resource]:
        return iter(tuple(self._by_path.values()))
