"""An API server on a manual clock, with the kinds of Cortex and of the hypervisor operator."""

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
from lab.cortex import crds
from lab.hypervisor_operator import crds as operator_crds

ADMIN = Caller("admin", ("system:masters",), "test")


class Cluster:
    """What Cortex is installed into."""

    def __init__(self, seed=1):
        self.clock = ManualClock()
        self.api = Api(Store(), self.clock, Catalogue(BUILTIN), Admission(), strategies(), random.Random(seed))
        self.runtime = Runtime(self.api, self.clock, random.Random(seed + 1))
        self.definitions = install_builtin(self.api, self.runtime)
        operator_crds.install(self.api, self.definitions)
        crds.install(self.api, self.definitions)
        self.clock.advance(1)
