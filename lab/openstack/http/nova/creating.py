"""POST /servers: from an image, or from a volume made of one (openstack sheet §10, onboarding)."""

from __future__ import annotations

import secrets
from typing import Any

from lab.openstack.compute.flavors import Flavor
from lab.openstack.compute.guests import user_data_of
from lab.openstack.compute.servers import Server
from lab.openstack.http.bodies import boolean, fields, text
from lab.openstack.http.calls import Call
from lab.openstack.http.nova.views import links
from lab.openstack.http.replies import Reply
from lab.openstack.media import Network
from lab.openstack.refusals import NotSimulatedError, RefusalError
from lab.openstack.shape import Disk

_OPTIONAL = (
    "imageRef",
    "networks",
    "availability_zone",
    "block_device_mapping_v2",
    "metadata",
    "description",
    "key_name",
    "user_data",
    "min_count",
    "max_count",
    "security_groups",
    "config_drive",
    "OS-DCF:diskConfig",
    "host",
)


def create(call: Call) -> Reply:
    """A new server, still building."""
    call.demand("servers:create")
    body = fields(call.json(), "server", ("server",), ("os:scheduler_hints", "OS-SCH-HNT:scheduler_hints"))
    if len(body) > 1:
        raise NotSimulatedError("scheduler hints of a new server")
    wanted = fields(body["server"], "server", ("name", "flavorRef"), _OPTIONAL)
    if (wanted.get("min_count", 1), wanted.get("max_count", 1)) != (1, 1):
        raise NotSimulatedError("several servers in one request")
    server = _server(call, wanted)
    call.cloud.state.add_server(server)
    call.cloud.verbs.journal.begin(server, "create", call.caller)
    where = links(call, "servers", server.id)
    shown = {
        "id": server.id,
        "links": where,
        "OS-DCF:diskConfig": "MANUAL",
        "security_groups": [{"name": "default"}],
        "adminPass": secrets.token_urlsafe(9),
    }
    return Reply(202, {"server": shown}, {"Location": where[0]["href"]})


def _server(call: Call, wanted: dict[str, Any]) -> Server:
    state, now = call.cloud.state, call.cloud.clock.now()
    name = text(wanted["name"], "name")
    image_id, disk = _boot(call, wanted)
    zone, host = _place(call, wanted)
    user_data_of(wanted.get("user_data"))  # refuses what no guest can do, before anything is made
    number = sum(1 for _ in state.servers()) + 1
    return Server(
        id=state.new_id(),
        name=name,
        project_id=call.caller.project_id,
        user_id=call.caller.user_id,
        flavor=_flavor(call, str(wanted["flavorRef"])),
        created=now,
        updated=now,
        entered=now,
        instance_name=f"instance-{number:08x}",
        reservation_id=f"r-{number:08x}",
        task_state="scheduling",
        zone=zone,
        wanted_host=host,
        image_id=image_id,
        disk=disk,
        volume_id=state.new_id() if disk == "volume" else None,
        addresses=_addresses(call, wanted.get("networks")),
        metadata=wanted.get("metadata") or {},
        description=wanted.get("description"),
        key_name=wanted.get("key_name"),
        user_data=wanted.get("user_data"),
        config_drive=boolean(wanted.get("config_drive") or False, "config_drive"),
    )


def _flavor(call: Call, reference: str) -> Flavor:
    flavor = call.cloud.state.flavors.get(reference.rstrip("/").rsplit("/", 1)[-1])
    if flavor is None:
        raise RefusalError(400, f"Flavor {reference} could not be found.")
    return flavor


def _boot(call: Call, wanted: dict[str, Any]) -> tuple[str, Disk]:
    """The image the server shows ("" for one on a volume), and what its disk is."""
    mapping = wanted.get("block_device_mapping_v2") or []
    sources = [str(device.get("uuid", "")) for device in mapping if str(device.get("boot_index")) == "0"]
    image_id = sources[0] if sources else str(wanted.get("imageRef") or "")
    if not image_id:
        raise RefusalError(400, "Invalid imageRef provided.")
    if call.cloud.media.image(image_id) is None:
        raise RefusalError(400, f"Image {image_id} could not be found.")
    return ("", "volume") if sources else (image_id, "local")


def _place(call: Call, wanted: dict[str, Any]) -> tuple[str | None, str | None]:
    """The zone and the host asked for: `zone:host`, or `host` by itself."""
    zone, _, host = str(wanted.get("availability_zone") or "").partition(":")
    host = host or str(wanted.get("host") or "")
    if host:
        call.demand("servers:create:forced_host")
        if host not in call.cloud.state.hosts:
            raise RefusalError(400, f"Compute host {host} could not be found.")
    if zone and zone not in {one.zone for one in call.cloud.state.hosts.values()}:
        raise RefusalError(400, "The requested availability zone is not available")
    return zone or None, host or None


def _addresses(call: Call, networks: object) -> dict[str, Any]:
    if networks == "none":
        return {}
    if networks in (None, "auto"):
        return dict(call.cloud.media.address(call.cloud.media.networks[0]))
    if not isinstance(networks, list):
        raise RefusalError(400, "Bad networks format")
    shown: dict[str, Any] = {}
    for entry in networks:
        shown |= call.cloud.media.address(_network(call, entry))
    return shown


def _network(call: Call, entry: object) -> Network:
    if not isinstance(entry, dict) or set(entry) != {"uuid"}:
        raise NotSimulatedError("networks by anything but uuid")
    network = call.cloud.media.network(str(entry["uuid"]))
    if network is None:
        raise RefusalError(400, f"Network {entry['uuid']} could not be found.")
    return network
