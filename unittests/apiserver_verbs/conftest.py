"""An Api over a manual clock, and two kinds of custom resources."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import BUILTIN, CONFIG_MAP
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.strategies import Strategies
from lab.clock import ManualClock
from unittests.apiserver_verbs.applier import LISTS, Applier
from unittests.apiserver_verbs.kinds import GADGET, WIDGET


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def api(clock: ManualClock) -> Api:
    return Api(Store(), clock, Catalogue((*BUILTIN, WIDGET, GADGET)), Admission(), Strategies(), random.Random(7))


@pytest.fixture
def config_map(api: Api) -> Callable[..., dict[str, Any]]:
    """Creates config maps in namespace `t`."""

    def create(name: str, labels: dict[str, str] | None = None, **data: str) -> dict[str, Any]:
        metadata = {"name": name, "namespace": "t", "labels": labels or {}}
        return api.create(CONFIG_MAP, {"metadata": metadata, "data": data})

    return create


@pytest.fixture
def maps(api: Api) -> Applier:
    return Applier(api)


@pytest.fixture
def widgets(api: Api) -> Applier:
    return Applier(api, LISTS)
