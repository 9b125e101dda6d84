"""Words that preconditions of several modules share."""

from utilities.hypervisors import PREFLIGHT, outstanding, said

MEDIUM, LARGE, HUGE = 16 * 1024, 64 * 1024, 128 * 1024
"""MiB: servers that take longer to move than the operator takes to look again, a minute, and two minutes."""
POLL, SLACK = 10, 3
"""Product seconds between two passes at most, and what a pass and an answer may take beside."""


def end(drain):
    """Wait for the end of a drain."""
    drain.wait_ended()
    drain.wait_evicted()


def wait_left(drain, servers):
    """Wait until nothing but these servers is outstanding."""
    ids = {server.id for server in servers}
    drain.eviction.wait(
        lambda found: said(found, PREFLIGHT)[0] == "True" and set(outstanding(found)) == ids,
        expecting=f"left with {', '.join(server.name for server in servers)}",
        within=drain.actor.site.timeouts.drain,
    )


def custom_traits(hypervisors, name):
    """Traits of its own that a hypervisor shows, sorted."""
    return sorted(trait for trait in hypervisors.traits(name) if trait.startswith("CUSTOM_"))
