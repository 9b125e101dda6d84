"""Nova's version documents (openstack sheet §2)."""

from __future__ import annotations

from typing import Any

from lab.openstack.http.calls import Call
from lab.openstack.http.replies import Reply


def root(call: Call) -> Reply:
    """All versions."""
    old = {
        "id": "v2.0",
        "status": "DEPRECATED",
        "version": "",
        "min_version": "",
        "updated": "2011-01-21T11:33:21Z",
        "links": [{"rel": "self", "href": f"{call.base}/v2/"}],
    }
    return Reply(200, {"versions": [old, _current(call)]})


def v21(call: Call) -> Reply:
    """The one that is served."""
    kinds = [{"base": "application/json", "type": "application/vnd.openstack.compute+json;version=2.1"}]
    return Reply(200, {"version": {**_current(call), "media-types": kinds}})


def _current(call: Call) -> dict[str, Any]:
    return {
        "id": "v2.1",
        "status": "CURRENT",
        "version": call.cloud.shape.nova.microversion,
        "min_version": "2.1",
        "updated": "2013-07-23T11:33:21Z",
        "links": [{"rel": "self", "href": f"{call.base}/v2.1/"}],
    }
