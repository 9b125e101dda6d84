"""Preconditions of the plan: a stage of hypervisors and slots to decide about, and servers in slots to migrate."""

import itertools
import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache

import pytest

from tests.cr_migration_slot.arena import Arena, Crowd, chosen_zone
from tests.cr_migration_slot.stage import COMMITTED, Stage
from utilities.cortex import Request
from utilities.cortex.fixtures import cortex
from utilities.cortex.flavors import flavors_of_one_group
from utilities.cortex.objects import Owner
from utilities.cortex.pipelines import Weigher, pipeline, steering
from utilities.cortex.request import LIVE_MIGRATE
from utilities.cortex.scene import standing
from utilities.cortex.witness import witnessed
from utilities.hypervisors.fixtures import hypervisors, operator
from utilities.nova import chosen
from utilities.nova.heartbeats import beating, heard

__all__ = ["cortex", "hypervisors", "operator"]

PIPELINES = {
    "steering": (steering(0.1, 0.0),),
    "defaults": (Weigher("kvm_cr_migration_slot"),),
    "strong": (steering(1.0, 0.1),),
    "balanced": (Weigher("kvm_binpack", {"resourceWeights": {"memory": 1.0}}, -1.0), steering(0.1, 0.0)),
}
"""Pipelines of our own: the default weights told, not told, others, and with a weigher for emptier hosts before."""


@pytest.fixture(scope="session")
def flavors(admin):
    """Flavors of 8 GiB and 16 GiB of one group: (small, large)."""
    return flavors_of_one_group(admin, 8 * 1024, 16 * 1024)


@pytest.fixture(scope="session")
def stage(admin, cortex, flavors):
    """Hypervisors and slots that no machine stands behind, in a zone of their own."""
    large = flavors[1]
    mine = Owner(uuid.uuid4().hex, large.group, large.name)
    foreign, strange = replace(mine, group="migration-plans-other"), replace(mine, project=uuid.uuid4().hex)
    others = replace(strange, group=foreign.group)
    made = Stage(f"{cortex.name('stage')}-", mine, foreign, strange, others)
    with standing(admin, made.hosts, made.slots, zone=made.prefix.rstrip("-")):
        yield made


@pytest.fixture(scope="session")
def pipelines(cortex):
    """Names of pipelines of our own, by what they are for; each is made when it is first asked for."""
    with ExitStack() as undo:

        @cache
        def made(what):
            body = pipeline(cortex.name(what), *PIPELINES[what])
            return undo.enter_context(cortex.pipeline(body))["metadata"]["name"]

        yield made


@pytest.fixture
def request_for(stage, pipelines, flavors):
    """A request about hosts of the stage: `request_for("slot", "bare", vm=ORDINARY)`.

    The first host has the highest weight, by less than the boost; `weights` says other ones.
    """

    def made(*hosts, vm=COMMITTED, through="steering", weights=None, small=False, **told):
        told_weights = weights or {host: 0.01 * (len(hosts) - number) for number, host in enumerate(hosts)}
        return Request(
            vm=stage.ids[vm],
            project=stage.mine.project,
            weights={stage.named(host): weight for host, weight in told_weights.items()},
            pipeline=pipelines(through),
            flavor=flavors[0] if small else flavors[1],
            source=stage.named("source"),
            about=stage.about(vm),
            notes=stage.notes,
            **told,
        )

    return made


@pytest.fixture
def decide(request, cortex, stage, evidence, request_for):
    """Has Cortex decide about hosts of the stage, and shows how: `run = decide("slot", "bare", vm=ORDINARY)`."""
    numbers = itertools.count(1)
    (scenario,) = request.node.get_closest_marker("scenario").args[:1]

    def run(*hosts, door=None, **told):
        what = told.get("check", LIVE_MIGRATE) or "build"
        title = f"{scenario}: {what} the {told.get('vm', COMMITTED)} VM, decision {next(numbers)}"
        seen = cortex.ask(title, request_for(*hosts, **told), door=door, prefix=stage.prefix)
        evidence.about(seen)
        return seen

    return run


@pytest.fixture(scope="session")
def arena(admin, nova, hypervisors, cortex, flavors):
    """Empty hypervisors of one zone, for servers in slots."""
    zone, hosts = chosen_zone(nova, hypervisors)
    return Arena(admin, nova, cortex, zone, hosts, flavors)


@pytest.fixture(scope="session")
def servers_in(nova, arena, flavors):
    """Servers of 8 GiB that stay in the zone: `with servers_in(host, "steered", "plain") as (steered, plain)`.

    A heartbeat goes in their guests.
    """
    wanted = replace(nova.servers.wanted, flavor=flavors[0].name)
    template = cache(lambda: beating(replace(chosen(nova.cloud, wanted=wanted), zone=arena.zone)))

    @contextmanager
    def made(host, *names):
        with ExitStack() as undo:
            servers = replace(nova.servers, template=template())
            yield [undo.enter_context(servers.created(name, on=host))[0] for name in names]

    return made


@pytest.fixture(scope="session")
def watching(admin, nova, evidence):
    """Watches servers in slots move: `with watching(committed) as moves`; what fails in the block is noted."""

    @contextmanager
    def seeing(*vms, beside=()):
        with witnessed(admin, nova, vms, beside) as moves:
            evidence.about(moves)
            with moves.noting():
                yield moves

    return seeing


@pytest.fixture(scope="module")
def crowd(arena, servers_in):
    """Servers on a source host, and hosts of which one has a slot for them and the others have 12 GiB left.

    The slot host is the fullest of all, by one server. Slots of 16 GiB: one for `steered`, one for `stranded`, one
    for both twins; `plain` has none.
    """
    source, slot_host, *others = arena.hosts
    names = ("steered", "plain", "stranded", "twin-1", "twin-2")
    with servers_in(source, *names) as servers, servers_in(slot_host, "ballast"):
        by_name = dict(zip(names, servers, strict=True))
        owner = arena.owner_of(servers[0])
        slots = [
            arena.slot("steered", owner, source, by_name["steered"]),
            arena.slot("stranded", owner, source, by_name["stranded"]),
            arena.slot("twins", owner, source, by_name["twin-1"], by_name["twin-2"]),
            arena.slot("free", owner, slot_host),
            *arena.fillers(others, left=12),
        ]
        held = dict(zip(("steered", "stranded", "twins"), slots[:3], strict=True))
        with arena.holding(slots):
            yield Crowd(arena, by_name, held, slot_host, tuple(others))


@pytest.fixture(scope="module")
def steering_seen_and_heard(nova, crowd, watching):
    """The committed server live-migrated by Nova, to whichever host Cortex prefers: (moves, what its guest said)."""
    server = crowd.servers["steered"]
    with heard(nova.servers, server) as guest, watching(crowd.committed("steered")) as moves:
        nova.migrations.live_migrate(server).wait("completed")
    return moves, guest


@pytest.fixture(scope="module")
def steered_move(steering_seen_and_heard):
    """How the committed server moved, with its slot."""
    return steering_seen_and_heard[0]


@pytest.fixture
def steered_guest(steering_seen_and_heard, evidence):
    """What its guest said before and after."""
    guest = steering_seen_and_heard[1]
    evidence.about(guest)
    return guest
