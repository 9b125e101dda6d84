"""An API server on a manual clock, with the operator's kinds."""

import random

from lab.apiserver.admission import Admission, Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.install import install as install_builtin
from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.clock import ManualClock
from lab.controllers.runtime import Runtime
from lab.hypervisor_operator import crds

ADMIN = Caller("admin", ("system:masters",), "test")


class Cluster:
    """What the operator is installed into."""

    def __init__(self, seed=1, *, definitions=True):
        self.clock = ManualClock()
        self.api = Api(Store(), self.clock, Catalogue(BUILTIN), Admission(), strategies(), random.Random(seed))
        self.runtime = Runtime(self.api, self.clock, random.Random(seed + 1))
        self.definitions = install_builtin(self.api, self.runtime)
        if definitions:
            crds.install(self.api, self.definitions)
        self.clock.advance(1)
