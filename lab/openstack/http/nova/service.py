"""Nova's routes."""

from __future__ import annotations

from lab.openstack.http.microversions import Versions, parsed
from lab.openstack.http.nova import (
    actions,
    creating,
    flavors,
    groupings,
    hypervisors,
    instance_actions,
    migrations,
    servers,
    services,
    versions,
)
from lab.openstack.http.replies import nova_form
from lab.openstack.http.routing import Route, Service
from lab.openstack.shape import NovaOptions

_ROUTES = (
    Route("GET", "", versions.root, open=True),
    Route("GET", "v2.1", versions.v21, open=True),
    Route("GET", "v2.1/", versions.v21, open=True),
    Route("GET", "v2.1/servers", servers.index),
    Route("POST", "v2.1/servers", creating.create),
    Route("GET", "v2.1/servers/detail", servers.detail),
    Route("GET", "v2.1/servers/{id}", servers.show),
    Route("DELETE", "v2.1/servers/{id}", servers.delete),
    Route("POST", "v2.1/servers/{id}/action", actions.action),
    Route("GET", "v2.1/servers/{id}/migrations", migrations.of_server, since=23),
    Route("GET", "v2.1/servers/{id}/migrations/{migration}", migrations.show, since=23),
    Route("DELETE", "v2.1/servers/{id}/migrations/{migration}", migrations.abort, since=24),
    Route("POST", "v2.1/servers/{id}/migrations/{migration}/action", migrations.act, since=22),
    Route("GET", "v2.1/servers/{id}/os-instance-actions", instance_actions.index),
    Route("GET", "v2.1/servers/{id}/os-instance-actions/{request}", instance_actions.show),
    Route("GET", "v2.1/os-migrations", migrations.index),
    Route("GET", "v2.1/os-hypervisors", hypervisors.index),
    Route("GET", "v2.1/os-hypervisors/detail", hypervisors.detail),
    Route("GET", "v2.1/os-hypervisors/{id}", hypervisors.show),
    Route("GET", "v2.1/os-services", services.index),
    Route("PUT", "v2.1/os-services/{id}", services.update),
    Route("DELETE", "v2.1/os-services/{id}", services.delete),
    Route("GET", "v2.1/os-aggregates", groupings.aggregates),
    Route("GET", "v2.1/os-aggregates/{id}", groupings.aggregate),
    Route("POST", "v2.1/os-aggregates/{id}/action", groupings.act),
    Route("GET", "v2.1/os-server-groups", groupings.groups),
    Route("GET", "v2.1/os-server-groups/{id}", groupings.group),
    Route("GET", "v2.1/flavors", flavors.index),
    Route("GET", "v2.1/flavors/detail", flavors.detail),
    Route("GET", "v2.1/flavors/{id}", flavors.show),
    Route("GET", "v2.1/flavors/{id}/os-extra_specs", flavors.extra_specs),
)


def nova(options: NovaOptions) -> Service:
    """Nova as this cloud has it."""
    limits = Versions("compute", (2, 1), parsed(options.microversion), legacy=True)
    return Service("compute", nova_form, _ROUTES, limits)
