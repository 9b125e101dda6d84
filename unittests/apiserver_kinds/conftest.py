"""An API over an empty store and a clock that stands still."""

import random

import pytest

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin.admission import BuiltinAdmission
from lab.apiserver.builtin.kinds import BUILTIN, CRD
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.apiserver.custom.registry import Registry
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.clock import ManualClock
from lab.controllers.runtime import Runtime
from unittests.apiserver_kinds.hypervisors import definition


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def api(clock):
    found = Api(Store(), clock, Catalogue(BUILTIN), Admission(), strategies(), random.Random(7))
    BuiltinAdmission(found).register()
    return found


@pytest.fixture
def changes(api):
    """Records `(type, object)` of every change of the kinds it is called with."""

    def follow(*resources):
        seen = []
        for resource in resources:
            api.listen(resource, lambda change: seen.append((change.type, dict(change.new.obj))))
        return seen

    return follow


@pytest.fixture
def runtime(api, clock):
    return Runtime(api, clock, random.Random(11))


@pytest.fixture
def definitions(api, runtime):
    controller = DefinitionController(Registry(api))
    runtime.add(controller)
    return controller


@pytest.fixture
def hypervisors(api, clock, definitions):
    """The established kind."""
    api.create(CRD, definition())
    clock.advance(2)
    return api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors")
