"""Status writes as all the operator's controllers make them: read afresh, merge patch with the version, try again.

Ten tries, 50 ms doubled each time with a fifth of jitter (operator sheet §2; the pauses are product seconds).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError, conflict
from lab.apiserver.resources import Resource
from lab.hypervisor_operator.conversations import Pause, Talk

Json = Mapping[str, Any]
_TRIES, _FIRST, _JITTER = 10, 0.05, 0.2
_TOOK = (0.01, 0.06)  # product seconds from the read to the write: others may write in between


def patch_status(
    api: Api,
    caller: Caller,
    rng: random.Random,
    resource: Resource,
    name: str,
    change: Callable[[Json], Json],
) -> Talk[None]:
    """Patch `/status` to what `change` makes of the present status; null removes a field.

    Raises ApiError: 404 when the object has gone, 409 when every try met another writer.
    """
    for attempt in range(_TRIES):
        fresh = api.get(resource, "", name)
        version = fresh["metadata"]["resourceVersion"]
        body = {"metadata": {"resourceVersion": version}, "status": dict(change(fresh.get("status") or {}))}
        yield Pause(rng.uniform(*_TOOK))
        try:
            api.patch(resource, "", name, body, subresource="status", caller=caller)
        except ApiError as error:
            if error.code != 409:
                raise
        else:
            return
        yield Pause(_FIRST * 2**attempt * (1 + rng.uniform(0, _JITTER)))
    raise conflict(resource, name)
