"""Changes to a cloud as a journal has them: taken back by another process, and by both without harm."""

import json
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

from utilities.nova import Nova
from utilities.nova.inventory import inventory
from utilities.nova.undoing import KNOWN_TRAITS, SERVERS, SERVICE, TRAITS
from utilities.recovery import undoers
from utilities.site import Timeouts


class Written:
    """A journal in memory."""

    def __init__(self):
        self.entries = []
        self.ended = []

    def written(self, entry):
        """As it would be read again."""
        self.entries.append((entry.kind, json.loads(json.dumps(entry.data))))
        return entry.what

    @contextmanager
    def undoing(self, key):
        """Its end is noted."""
        yield
        self.ended.append(key)


def test_another_process_takes_back_what_is_written_and_twice_is_no_harm(nova, polls):
    before = inventory(nova)
    states = {host.name: host.state for host in nova.hosts.all()}
    journal = Written()
    mine = Nova.of(nova.cloud, polls, Timeouts(), run="run-9", undo=journal)
    with ExitStack() as killed:
        killed.enter_context(mine.servers.created("vm", on="node-1", count=2))
        killed.enter_context(mine.hosts.disabled("node-2", "for a test"))
        killed.enter_context(mine.traits.added(mine.hosts.named("node-3"), "CUSTOM_ONE", "CUSTOM_TWO"))
        assert [kind for kind, _ in journal.entries] == [SERVERS, SERVICE, KNOWN_TRAITS, TRAITS]
        assert inventory(nova) != before

        anybody = SimpleNamespace(waits=None, site=SimpleNamespace(timeouts=Timeouts()))
        by_kind = undoers(anybody, lambda: nova)
        for kind, data in reversed(journal.entries * 2):
            by_kind[kind](data)
        assert inventory(nova) == before
        assert {host.name: host.state for host in nova.hosts.all()} == states
        assert journal.ended == []
    assert len(journal.ended) == 4
    assert inventory(nova) == before


def test_a_service_that_was_disabled_before_is_so_again_with_its_reason(nova):
    with nova.hosts.disabled("node-1", "by others"):
        nova.hosts.enable("node-1")
        nova.hosts.restore("node-1", False, "by others")
        assert nova.hosts.named("node-1").disabled_reason == "by others"
