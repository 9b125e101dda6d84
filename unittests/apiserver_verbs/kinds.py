"""Kinds the tests of this package use beside the built-in ones."""

from lab.apiserver.resources import Resource

WIDGET = Resource(
    "example.com", "v1", "widgets", "Widget", subresources=("status",), custom=True, generation=True,
    unconditional_update=False, selectable_fields=("spec.color",),
)  # fmt: skip
GADGET = Resource(
    "example.com", "v1", "gadgets", "Gadget", namespaced=False, custom=True, generation=True,
    unconditional_update=False,
)  # fmt: skip
