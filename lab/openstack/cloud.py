"""One cloud, put together from its shape: what the HTTP front, faults and tests work with."""

from __future__ import annotations

from dataclasses import dataclass

from lab.clock import Clock
from lab.controllers.decisions import Faults
from lab.openstack.compute.checks import ACTIONS
from lab.openstack.compute.claims import Claims
from lab.openstack.compute.delays import Delays
from lab.openstack.compute.external.searches import Searches
from lab.openstack.compute.external.verdicts import VERDICTS
from lab.openstack.compute.guests import Guests
from lab.openstack.compute.journal import Journal
from lab.openstack.compute.moves import Moves, Parts
from lab.openstack.compute.policies import POLICIES, Policies
from lab.openstack.compute.scheduling import FILTERS, PRE_CHECKS, Scheduler
from lab.openstack.compute.services import Services
from lab.openstack.compute.state import State
from lab.openstack.compute.tasks import Tasks
from lab.openstack.compute.verbs import Verbs
from lab.openstack.founding import found
from lab.openstack.identity.directory import Directory
from lab.openstack.identity.tokens import Tokens
from lab.openstack.media import Media
from lab.openstack.placement.providers import Inventories
from lab.openstack.shape import CloudShape


@dataclass(frozen=True, slots=True)
class Cloud:
    """The parts of one cloud."""

    shape: CloudShape
    faults: Faults
    clock: Clock
    directory: Directory
    tokens: Tokens
    inventories: Inventories
    state: State
    guests: Guests
    searches: Searches
    moves: Moves
    tasks: Tasks
    verbs: Verbs
    services: Services
    policies: Policies
    media: Media


def build(clock: Clock, shape: CloudShape, *, seed: int, faults: Faults | None = None) -> Cloud:
    """A cloud with its hosts and servers. Raises ShapeError for a shape whose parts do not fit together."""
    faults = faults or Faults()
    state, inventories = State(clock, seed), Inventories()
    delays, journal = Delays(seed), Journal(state)
    scheduler = Scheduler(state, inventories, faults.ahead_of(FILTERS), faults.ahead_of(PRE_CHECKS))
    searches = Searches(state, scheduler, faults.ahead_of(VERDICTS))
    claims = Claims(state, inventories)
    guests = Guests(state, clock, seed, shape.dirty_rate)
    link = float(shape.migration_bandwidth)
    moves = Moves(Parts(state, scheduler, searches, claims, guests, journal, delays, shape.nova, link), faults)
    tasks = Tasks(state, searches, claims, guests, journal, delays, faults)
    owners = (*(server.project for server in shape.servers), *(group.project for group in shape.groups))
    directory = Directory(owners, seed)
    media = Media(state.new_id)
    found(shape, state, inventories, claims, directory, media)
    return Cloud(
        shape=shape,
        faults=faults,
        clock=clock,
        directory=directory,
        tokens=Tokens(clock, shape.token_lifetime),
        inventories=inventories,
        state=state,
        guests=guests,
        searches=searches,
        moves=moves,
        tasks=tasks,
        verbs=Verbs(state, moves, journal, delays, faults.ahead_of(ACTIONS)),
        services=Services(state, inventories, moves),
        policies=Policies(faults.ahead_of(POLICIES)),
        media=media,
    )
