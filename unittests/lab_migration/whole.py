"""A small cluster with everything in it: nodes, scheduler, kubelets, KubeVirt and migrations, on a manual clock."""

from lab.controllers.decisions import Faults
from lab.copying.memory import Load
from lab.kubevirt.kinds import VM, VMIM
from lab.kubevirt.migration.engine import World
from lab.kubevirt.migration.install import migration
from unittests.lab_kubevirt.world import ADMIN, Virtualization, configured, vm

MI = 2**20
GATE = "VGPULiveMigration"


class Whole(Virtualization):
    """The cluster of W's tests with migrations; every guest dirties its memory as `load` says."""

    def __init__(self, configuration=None, faults=None, **kwargs):
        super().__init__(configuration or configured(gates=(GATE,)), faults=faults, **kwargs)
        self.load = Load(40 * MI, 256 * MI)
        world = self.world
        self.migration = migration(
            self.api,
            world.config,
            world.callers,
            world.domains,
            world.processes,
            World(lambda _: self.load, self._mdevs, 1200 * MI),
            faults or Faults(),
        )
        self.migration.start(world.runtime)

    def started(self, name="vm1", **spec):
        """A VM whose guest runs; returns its node."""
        self.api.create(VM, vm(name, **spec), caller=ADMIN)
        self.until(lambda: (self.vmi(name) or {}).get("status", {}).get("phase") == "Running", 120)
        self.clock.advance(25)
        return self.vmi(name)["status"]["nodeName"]

    def migrate(self, name="move", vmi="vm1", **annotations):
        """Ask for a migration."""
        metadata = {"name": name, "namespace": "qa", "annotations": annotations}
        return self.api.create(VMIM, {"metadata": metadata, "spec": {"vmiName": vmi}}, caller=ADMIN)

    def phase(self, name="move"):
        """Phase of a VMIM, "gone" when there is none."""
        found = self.api.find(VMIM, "qa", name)
        return "gone" if found is None else found.get("status", {}).get("phase", "")

    def ended(self, name="move", within=400):
        """The final phase of a VMIM."""
        self.until(lambda: self.phase(name) in ("Succeeded", "Failed", "gone"), within)
        return self.phase(name)

    def until(self, true, within):
        """Let time pass until it is so."""
        for _ in range(int(within * 10)):
            if true():
                return
            self.clock.advance(0.1)
        raise AssertionError(f"not so after {within} s")

    def state(self, vmi="vm1"):
        """migrationState of a VMI."""
        return self.vmi(vmi)["status"].get("migrationState", {})

    def live_pods(self):
        """Launcher pods that have not ended."""
        return [pod for pod in self.pods() if pod["status"].get("phase") not in ("Succeeded", "Failed")]

    def in_use(self):
        """Devices held, by node."""
        return {node.name: self.devices.in_use(node.name) for node in self.world.profile.nodes if node.cards}

    def _mdevs(self, pod_uid):
        allocation = self.world.devices.of(pod_uid)
        return allocation.mdevs if allocation is not None else ()
