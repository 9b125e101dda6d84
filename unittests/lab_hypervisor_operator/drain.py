"""One operator process, one hypervisor on its way out of service, and a cloud."""

import random

from lab.controllers.decisions import Faults
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from lab.hypervisor_operator.logs import Log
from lab.hypervisor_operator.process import Process
from lab.hypervisor_operator.programs import Program
from unittests.lab_hypervisor_operator.cluster import ADMIN, Cluster
from unittests.lab_hypervisor_operator.nova import HYPERVISOR_ID, SERVICE_ID, SOURCE, URL, Cloud, Direct

OS = {
    "OS_AUTH_URL": f"{URL}/v3",
    "OS_USERNAME": "operator",
    "OS_PASSWORD": "secret",
    "OS_USER_DOMAIN_NAME": "Default",
    "OS_PROJECT_NAME": "admin",
    "OS_PROJECT_DOMAIN_NAME": "Default",
}


class Drain(Cluster):
    """`limit` and `by_trait` are the concurrency flags; `fixes` and `faults` are rows in front of tables."""

    def __init__(self, *, limit=1, by_trait="", parallel=True, fixes=None, faults=None, traits=(), seed=1, **cloud):
        super().__init__(seed)
        self.cloud = Cloud(self.clock, **cloud)
        self.seed = seed
        self.program = Program(parallel=parallel, fixes=fixes or Faults())
        self.faults = faults or Faults()
        self.arguments = ["--agent-namespaces=lab"]
        if parallel:
            self.arguments += [f"--eviction-concurrency={limit}", f"--eviction-trait-concurrency={by_trait}"]
        self.exits = []
        self.history = []  # (product time, status of the Eviction) at every change
        self.api.listen(EVICTION, self._note)
        self.hypervisor(traits=traits)
        self.process = self.begin()

    def begin(self):
        """Start a process and let it work."""
        wire = Direct(self.cloud.handle, self.clock, random.Random(self.seed + 5))
        process = Process(
            self.api,
            wire,
            self.program,
            self.faults,
            random.Random(self.seed + 6),
            "operator",
            Log(),
            self.exits.append,
        )
        process.start(self.arguments, OS)
        process.lead()
        self.clock.advance(1)
        return process

    def log(self):
        """Lines of the present process."""
        return [line.text for line in self.process.log.lines]

    def restart(self):
        """The process ends, a new one starts."""
        self.process.stop()
        self.process = self.begin()

    def hypervisor(self, name=SOURCE, *, traits=(), custom=None, registered=True, **spec):
        """A hypervisor that is onboarded and in service."""
        custom = [trait for trait in traits if trait.startswith("CUSTOM_")] if custom is None else custom
        self.api.create(HYPERVISOR, {"metadata": {"name": name}, "spec": {"customTraits": custom, **spec}})
        ids = {"hypervisorId": HYPERVISOR_ID, "serviceId": SERVICE_ID} if registered else {}
        conditions = [condition("Onboarding", False), condition("TraitsUpdated", True)]
        body = {"status": {**ids, "traits": list(traits), "conditions": conditions}}
        self.api.patch(HYPERVISOR, "", name, body, subresource="status")

    def maintain(self, value="manual"):
        """Ask for maintenance."""
        body = {"spec": {"maintenance": value, "maintenanceReason": "test" if value else None}}
        self.api.patch(HYPERVISOR, "", SOURCE, body, caller=ADMIN)

    def eviction(self):
        return self.api.find(EVICTION, "", SOURCE)

    def said(self, kind, obj=None):
        """(status, reason, message) of a condition of the Eviction, or of another object."""
        found = ((obj or self.eviction() or {}).get("status") or {}).get("conditions") or ()
        return next(((c["status"], c["reason"], c["message"]) for c in found if c["type"] == kind), None)

    def host(self):
        return self.api.get(HYPERVISOR, "", SOURCE)

    def outstanding(self):
        return list(((self.eviction() or {}).get("status") or {}).get("outstandingInstances") or ())

    def until(self, happens, within=600.0, step=0.5):
        """Let time pass until it happens; fails the test when it does not."""
        end = self.clock.now() + within
        while not happens():
            assert self.clock.now() < end, (self.outstanding(), self.cloud.posts, self.eviction())
            self.clock.advance(step)

    def drained(self, within=600.0):
        """Ask for maintenance and wait for the end of the eviction; returns product seconds it took."""
        begun = self.clock.now()
        self.maintain()
        self.until(lambda: (self.said("Evicting") or ("True",))[0] == "False", within)
        return self.clock.now() - begun

    def told(self, kind="MigratingInstance"):
        """(reason, message) of a condition at every change of it, in order."""
        seen = []
        for _, status in self.history:
            for entry in status.get("conditions") or ():
                if entry["type"] == kind and (not seen or seen[-1] != (entry["reason"], entry["message"])):
                    seen.append((entry["reason"], entry["message"]))
        return seen

    def _note(self, change):
        self.history.append((self.clock.now(), change.new.obj.get("status") or {}))


def condition(kind, status, reason="Succeeded", message=""):
    return {
        "type": kind,
        "status": str(status),
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
