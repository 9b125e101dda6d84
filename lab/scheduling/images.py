"""Container images the lab's registries hold, and which of them a node has already."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

KNOWN: tuple[str, ...] = (
    "quay.io/containerdisks/*",
    "quay.io/kubevirt/*",
    "quay.io/openshift-cnv/*",
    "registry.redhat.io/*",
    "nvcr.io/*",
    "registry.k8s.io/*",
)


class Images:
    """An image nobody knows cannot be pulled, as on any cluster."""

    def __init__(self, known: Iterable[str] = KNOWN) -> None:
        self._known = tuple(known)
        self._present: set[tuple[str, str]] = set()

    def pullable(self, image: str) -> bool:
        """Whether some registry has it."""
        return any(fnmatchcase(image, pattern) for pattern in self._known)

    def present(self, node: str, image: str) -> bool:
        """Whether a node has it already."""
        return (node, image) in self._present

    def keep(self, node: str, image: str) -> None:
        """A node pulled it."""
        self._present.add((node, image))
