"""openshift-python-wrapper, imported when first needed, because that takes seconds, and quiet unless told otherwise.

By itself it logs every body it posts, and makes every logger that is created after its import start at INFO. Who wants
to read it sets OPENSHIFT_PYTHON_WRAPPER_LOG_LEVEL, as with any other user of the wrapper.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

from utilities.clients import Cluster, translated

_LEVEL = "OPENSHIFT_PYTHON_WRAPPER_LOG_LEVEL"


def create_vm(cluster: Cluster, manifest: Mapping[str, Any]) -> None:
    """Create a VirtualMachine. Raises the suite's API errors."""
    level = os.environ.setdefault(_LEVEL, "WARNING")
    usual = logging.getLoggerClass()
    from ocp_resources.virtual_machine import VirtualMachine

    logging.setLoggerClass(usual)
    logging.getLogger("ocp_resources.resource").setLevel(level)
    with translated(cluster.url, f"create VM {manifest['metadata']['name']}"):
        VirtualMachine(client=cluster.dynamic, kind_dict=dict(manifest)).create()
