"""A lab's API, and processes that act on it, each with its journal."""

import itertools
from contextlib import suppress

import pytest
import urllib3

from utilities.clients import LEASES, NODES, Resource, Rest
from utilities.reversible import REMOVE, RESTORE, Create, Patch, Remove, Restore, Reversible, Target, annotation
from utilities.sharing.census import journal_name
from utilities.sharing.journal import RunJournal
from utilities.sharing.lock import ClusterLock, LeaseFile, Passing
from utilities.sharing.succession import Succession
from utilities.watching import Waits

from ..apiserver_http.labserver import ADMIN, LabServer
from .leases import Hands
from .mortal import Killed, Life, Mortal

CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
NODE, SETTINGS = Target(NODES, "node-1"), Target(CONFIG_MAPS, "settings", "default")
ALL_CHANGED = 16
"""Requests of a run (`changed`) until it has changed everything and taken nothing back."""
_VOLATILE = ("resourceVersion", "managedFields", "generation", "uid", "creationTimestamp")


class Site:
    """A cluster with a node and settings, by clients that never die and by ones that do."""

    def __init__(self, server, directory):
        self.clock = Hands()
        (directory / "ca.pem").write_text(server.front.authority.pem.decode())
        self._url, self._pool = server.front.url, urllib3.PoolManager(ca_certs=str(directory / "ca.pem"))
        self.rest = self._connected()
        self.rest.create(NODES, {"metadata": {"name": NODE.name}, "spec": {}})
        self.rest.create(CONFIG_MAPS, self.settings(), "default")
        self._journals = []

    def settings(self, **annotations):
        """A ConfigMap as it is when nobody has changed it."""
        return {"metadata": {"name": SETTINGS.name, "annotations": {"theirs": "1", **annotations}}, "data": {"a": "b"}}

    def _connected(self, life=None):
        headers = {"Authorization": f"Bearer {ADMIN}"}
        if life is None:
            return Rest(self._url, self._pool, lambda: headers, timeout=10)
        return Mortal(self._url, self._pool, lambda: headers, timeout=10, life=life)

    def state(self):
        """Everything that matters, Leases included."""
        found = {}
        for resource in (NODES, CONFIG_MAPS, LEASES):
            for item in self.rest.list(resource)["items"]:
                kept = {name: value for name, value in item["metadata"].items() if name not in _VOLATILE}
                found[resource.kind, kept["name"]] = {**item, "metadata": kept}
                if resource is NODES:
                    item["spec"].pop("taints", None)  # a controller's, which follows a cordon in its own time
        return found

    def journal(self, who, life):
        """Of a process."""
        made = RunJournal(LeaseFile(self._connected(life), journal_name(who), "default"), who)
        self._journals.append(made)
        return made

    def reversible(self, who, life):
        """Changes of a process."""
        rest = self._connected(life)
        return Reversible(Waits(rest, float), deletion=30, journal=self.journal(who, life))

    def heir(self, who="heir", life=None, undoers=None):
        """Whoever takes back what others have left."""
        rest = self._connected(life or Life())
        known = {
            RESTORE: lambda data: Restore.from_json(data).run(Waits(rest, float), 30),
            REMOVE: lambda data: Remove.from_json(data).run(Waits(rest, float), 30),
        }
        passing = Passing(self.clock.now, self.clock.wait)
        return Succession(rest, "default", who, known if undoers is None else undoers, passing=passing)

    def lock(self, who, heir):
        """A lock of the cluster, with an heir."""
        file = LeaseFile(self.rest, "migration-test-plans-part", "default")
        return ClusterLock(file, who, passing=Passing(self.clock.now, self.clock.wait), heir=heir)

    def killed(self, who, life, act):
        """Have a process do something; whether it died of it."""
        before = len(self._journals)
        try:
            act()
        except Killed:
            return True
        finally:
            life.ends_at = -1
            for journal in self._journals[before:]:
                with suppress(Killed):
                    journal.close()  # ends its thread; nothing of it is heard any more
            del self._journals[before:]
        return False

    def close(self):
        """Close connections."""
        self._pool.clear()


def changed(site, who, life):
    """A run: it cordons a node, annotates settings twice, and makes an object of its own."""
    again = {"metadata": {"annotations": {"theirs": None, "ours": "2"}}, "data": {"a": "c"}}
    with site.reversible(who, life) as changes:
        changes.apply(Patch(NODE, {"spec": {"unschedulable": True}}, "cordon"))
        changes.apply(annotation(SETTINGS, "ours", "1", "limits"))
        changes.apply(Patch(SETTINGS, again, "limits"))
        changes.apply(Create(CONFIG_MAPS, {"metadata": {"name": "made"}}, "default"))


@pytest.fixture(scope="module")
def server():
    with LabServer() as running:
        yield running


@pytest.fixture
def site(server, tmp_path):
    made = Site(server, tmp_path)
    yield made
    for resource in (CONFIG_MAPS, LEASES):
        for item in made.rest.list(resource, "default")["items"]:
            made.rest.delete(resource, item["metadata"]["name"], "default")
    made.rest.delete(NODES, NODE.name)
    made.close()


@pytest.fixture
def names():
    """A new name for each process."""
    return map("run-{}".format, itertools.count(1))
