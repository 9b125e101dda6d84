"""How each kind of journal entry is taken back by another process than the one that made the change."""

from __future__ import annotations

from collections.abc import Callable

from utilities.hypervisors.hypervisors import IN_SERVICE, TRAITS_OF_SPEC, Hypervisors
from utilities.hypervisors.operator import ROLLED_OUT, Operator
from utilities.kubevirt.actor import Actor
from utilities.kubevirt.configuration import SETTINGS, Configuration
from utilities.kubevirt.gates import STANDING, SWITCHED, GateLists, settled
from utilities.nova import Nova
from utilities.nova.undoing import KNOWN_TRAITS, SERVERS, SERVICE, TRAITS
from utilities.reversible import REMOVE, RESTORE, Remove, Restore
from utilities.sharing.succession import Undoers


def undoers(actor: Actor, nova: Callable[[], Nova]) -> Undoers:
    """By kind of entry, and by name of a standing change: what it takes to have the cluster follow.

    nova: the site's cloud; raises Blocked when it has none, and then these entries stay.
    """
    waits, deletion = actor.waits, actor.site.timeouts.deletion
    return {
        RESTORE: lambda data: Restore.from_json(data).run(waits, deletion),
        REMOVE: lambda data: Remove.from_json(data).run(waits, deletion),
        SETTINGS: lambda data: Configuration(actor).settle(data["wanted"]),
        SWITCHED: lambda data: settled(actor, GateLists.from_json(data)),
        STANDING: lambda data: settled(actor, GateLists.from_json(data)),
        ROLLED_OUT: lambda _: Operator(actor).wait_rolled_out(),
        IN_SERVICE: lambda data: Hypervisors(actor, nova()).bring_back(data["name"]),
        TRAITS_OF_SPEC: lambda data: Hypervisors(actor, nova()).wait_traits(data["name"]),
        SERVERS: lambda data: nova().servers.remove(data["run"], data["names"]),
        SERVICE: lambda data: nova().hosts.restore(data["name"], data["enabled"], data["reason"]),
        KNOWN_TRAITS: lambda data: nova().traits.forget(data["traits"]),
        TRAITS: lambda data: nova().traits.remove(data["provider"], data["traits"]),
    }
