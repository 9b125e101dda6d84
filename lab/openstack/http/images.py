"""Glance v2, as much as clients of Nova need (openstack sheet §1, §10)."""

from __future__ import annotations

from typing import Any

from lab.openstack.http.calls import Call
from lab.openstack.http.replies import Reply, glance_form
from lab.openstack.http.routing import Route, Service
from lab.openstack.media import Image
from lab.openstack.refusals import NotSimulatedError, RefusalError

_FILTERS = ("name", "id", "limit", "marker", "sort", "sort_key", "sort_dir", "visibility", "status")


def _root(call: Call) -> Reply:
    version = {"id": "v2.16", "status": "CURRENT", "links": [{"rel": "self", "href": f"{call.base}/v2/"}]}
    return Reply(300, {"versions": [version]})


def _images(call: Call) -> Reply:
    unknown = sorted(set(call.query) - set(_FILTERS))
    if unknown:
        raise NotSimulatedError(f"the filter {unknown[0]} of images")
    name, wanted = call.query.get("name"), call.query.get("id", "").removeprefix("in:")
    ids = wanted.split(",") if wanted else None
    found = [
        image
        for image in call.cloud.media.images
        if name in (None, image.name) and (ids is None or image.id in ids) and "marker" not in call.query
    ]
    shown = [_view(call, image) for image in found]
    return Reply(200, {"images": shown, "schema": "/v2/schemas/images", "first": "/v2/images"})


def _show(call: Call) -> Reply:
    image = call.cloud.media.image(call.name("id"))
    if image is None:
        raise RefusalError(404, f"No image found with ID {call.name('id')}")
    return Reply(200, _view(call, image))


def _view(call: Call, image: Image) -> dict[str, Any]:
    return {
        "id": image.id,
        "name": image.name,
        "status": "active",
        "visibility": "public",
        "container_format": "bare",
        "disk_format": "qcow2",
        "size": image.size,
        "min_disk": 0,
        "min_ram": 0,
        "protected": False,
        "os_hidden": False,
        "owner": call.cloud.directory.projects[0].id,
        "tags": [],
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "self": f"/v2/images/{image.id}",
        "file": f"/v2/images/{image.id}/file",
        "schema": "/v2/schemas/image",
    }


GLANCE = Service(
    "image",
    glance_form,
    (
        Route("GET", "", _root, open=True),
        Route("GET", "versions", _root, open=True),
        Route("GET", "v2/images", _images),
        Route("GET", "v2/images/{id}", _show),
    ),
)
