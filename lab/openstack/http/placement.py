"""Placement (openstack sheet §9)."""

from __future__ import annotations

from typing import Any

from lab.openstack.http.bodies import is_uuid
from lab.openstack.http.calls import Call
from lab.openstack.http.microversions import Versions
from lab.openstack.http.replies import Reply, placement_form
from lab.openstack.http.routing import Route, Service
from lab.openstack.placement.providers import Allocation, Provider
from lab.openstack.refusals import NotSimulatedError, RefusalError

_FILTERS = ("name", "uuid", "in_tree", "required")


def _root(_: Call) -> Reply:
    version = {
        "id": "v1.0",
        "min_version": "1.0",
        "max_version": "1.39",
        "status": "CURRENT",
        "links": [{"rel": "self", "href": ""}],
    }
    return Reply(200, {"versions": [version]})


def _demand(call: Call, rule: str) -> None:
    if "admin" not in call.demand_token().roles:
        raise RefusalError(403, f"Policy does not allow placement:{rule} to be performed.")


def _providers(call: Call) -> Reply:
    _demand(call, "resource_providers:list")
    unknown = sorted(set(call.query) - set(_FILTERS))
    if unknown:
        raise NotSimulatedError(f"the filter {unknown[0]} of resource providers")
    found = [provider for provider in call.cloud.inventories if _wanted(call, provider)]
    return Reply(200, {"resource_providers": [_view(call, provider) for provider in found]})


def _wanted(call: Call, provider: Provider) -> bool:
    query = call.query
    if query.get("name") not in (None, provider.name):
        return False
    if any(query.get(key) not in (None, provider.uuid) for key in ("uuid", "in_tree")):
        return False
    for entry in query.getall("required", []):
        for trait in entry.split(","):
            if trait.startswith("in:"):
                raise NotSimulatedError("required=in: of resource providers")
            if (trait.removeprefix("!") in provider.traits) is trait.startswith("!"):
                return False
    return True


def _view(call: Call, provider: Provider) -> dict[str, Any]:
    address = f"/resource_providers/{provider.uuid}"
    kinds = ["self", "inventories", "usages"]
    kinds += ["aggregates"] if call.at(1) else []
    kinds += ["traits"] if call.at(6) else []
    kinds += ["allocations"] if call.at(11) else []
    links = [{"rel": kind, "href": address if kind == "self" else f"{address}/{kind}"} for kind in kinds]
    body = {"uuid": provider.uuid, "name": provider.name, "generation": provider.generation, "links": links}
    if call.at(14):
        body |= {"parent_provider_uuid": None, "root_provider_uuid": provider.uuid}
    return body


def _provider(call: Call) -> Provider:
    return call.cloud.inventories.provider(call.name("id"))


def _show(call: Call) -> Reply:
    _demand(call, "resource_providers:show")
    return Reply(200, _view(call, _provider(call)))


def _delete(call: Call) -> Reply:
    _demand(call, "resource_providers:delete")
    call.cloud.inventories.remove(call.name("id"))
    return Reply(204)


def _traits_of(call: Call) -> Reply:
    _demand(call, "resource_providers:traits:list")
    return Reply(200, _traits_body(_provider(call)))


def _traits_body(provider: Provider) -> dict[str, Any]:
    return {"traits": sorted(provider.traits), "resource_provider_generation": provider.generation}


def _set_traits(call: Call) -> Reply:
    _demand(call, "resource_providers:traits:update")
    body = call.json()
    traits, generation = body.get("traits"), body.get("resource_provider_generation")
    if set(body) != {"traits", "resource_provider_generation"} or not isinstance(traits, list):
        raise RefusalError(400, "JSON does not validate: 'traits' and 'resource_provider_generation' are required")
    if not isinstance(generation, int):
        raise RefusalError(400, f"JSON does not validate: {generation!r} is not of type 'integer'")
    changed = call.cloud.inventories.set_traits(call.name("id"), [str(trait) for trait in traits], generation)
    return Reply(200, _traits_body(changed))


def _traits(call: Call) -> Reply:
    _demand(call, "traits:list")
    prefix = call.query.get("name", "startswith:").removeprefix("startswith:")
    found = sorted(trait for trait in call.cloud.inventories.known_traits if trait.startswith(prefix))
    return Reply(200, {"traits": found})


def _trait(call: Call) -> Reply:
    _demand(call, "traits:show")
    if call.name("name") not in call.cloud.inventories.known_traits:
        raise RefusalError(404, f"No such trait(s): {call.name('name')}.")
    return Reply(204)


def _know_trait(call: Call) -> Reply:
    _demand(call, "traits:update")
    new = call.cloud.inventories.know(call.name("name"))
    return Reply(201 if new else 204, headers={"Location": f"{call.base}/traits/{call.name('name')}"})


def _forget_trait(call: Call) -> Reply:
    _demand(call, "traits:delete")
    call.cloud.inventories.forget(call.name("name"))
    return Reply(204)


def _inventories(call: Call) -> Reply:
    _demand(call, "resource_providers:inventories:list")
    provider = _provider(call)
    shown = {
        name: {
            "total": one.total,
            "reserved": one.reserved,
            "min_unit": 1,
            "max_unit": one.total,
            "step_size": 1,
            "allocation_ratio": one.ratio,
        }
        for name, one in provider.inventories.items()
    }
    return Reply(200, {"inventories": shown, "resource_provider_generation": provider.generation})


def _usages(call: Call) -> Reply:
    _demand(call, "resource_providers:usages")
    provider = _provider(call)
    usages = call.cloud.inventories.usages(provider.uuid)
    return Reply(200, {"usages": usages, "resource_provider_generation": provider.generation})


def _allocations_of(call: Call) -> Reply:
    _demand(call, "resource_providers:allocations:list")
    provider = _provider(call)
    shown: dict[str, Any] = {}
    for one in call.cloud.inventories.of_provider(provider.uuid):
        shown[one.consumer] = {"resources": dict(one.resources[provider.uuid])}
        if call.at(28):
            shown[one.consumer]["consumer_generation"] = one.generation
    return Reply(200, {"allocations": shown, "resource_provider_generation": provider.generation})


def _allocations(call: Call) -> Reply:
    _demand(call, "allocations:list")
    found = call.cloud.inventories.allocation(call.name("consumer"))
    return Reply(200, {"allocations": {}} if found is None else _allocation(call, found))


def _allocation(call: Call, one: Allocation) -> dict[str, Any]:
    shown = {
        uuid: {"generation": call.cloud.inventories.provider(uuid).generation, "resources": dict(amounts)}
        for uuid, amounts in one.resources.items()
    }
    body: dict[str, Any] = {"allocations": shown}
    if call.at(12):
        body |= {"project_id": one.project_id, "user_id": one.user_id}
    if call.at(28):
        body["consumer_generation"] = one.generation
    if call.at(38):
        body["consumer_type"] = one.kind
    return body


def _release(call: Call) -> Reply:
    _demand(call, "allocations:delete")
    consumer = call.name("consumer")
    if not is_uuid(consumer) or not call.cloud.inventories.release(consumer):
        raise RefusalError(404, f"No allocations for consumer '{consumer}'")
    return Reply(204)


PLACEMENT = Service(
    "placement",
    placement_form,
    (
        Route("GET", "", _root, open=True),
        Route("GET", "resource_providers", _providers),
        Route("GET", "resource_providers/{id}", _show),
        Route("DELETE", "resource_providers/{id}", _delete),
        Route("GET", "resource_providers/{id}/traits", _traits_of, since=6),
        Route("PUT", "resource_providers/{id}/traits", _set_traits, since=6),
        Route("GET", "resource_providers/{id}/inventories", _inventories),
        Route("GET", "resource_providers/{id}/usages", _usages),
        Route("GET", "resource_providers/{id}/allocations", _allocations_of),
        Route("GET", "traits", _traits, since=6),
        Route("GET", "traits/{name}", _trait, since=6),
        Route("PUT", "traits/{name}", _know_trait, since=6),
        Route("DELETE", "traits/{name}", _forget_trait, since=6),
        Route("GET", "allocations/{consumer}", _allocations),
        Route("DELETE", "allocations/{consumer}", _release),
    ),
    Versions("placement", (1, 0), (1, 39)),
)
