"""What tests of custom kinds look at."""

import pytest

from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.errors import ApiError


def refused(action, *args, **kwargs):
    with pytest.raises(ApiError) as caught:
        action(*args, **kwargs)
    return caught.value


def conditions(api, name="hypervisors.kvm.cloud.sap"):
    return {entry["type"]: entry for entry in api.get(CRD, "", name)["status"]["conditions"]}
