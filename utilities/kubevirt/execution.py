"""Commands in a container of a pod, over the API's exec websocket; the connection is closed when they have ended.

The wrapper's own `Pod.execute` leaves its connection open until it is collected as garbage.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack

from utilities.clients import Cluster, translated
from utilities.errors import SiteError

_PATIENCE = 60.0  # wall seconds for a command to end
_NEXT = "run it in the container with kubectl exec"


def output_of(cluster: Cluster, namespace: str, pod: str, container: str, command: Sequence[str]) -> str:
    """Standard output. Raises SiteError when the command does not end with 0, or the suite's API errors."""
    from kubernetes.client import CoreV1Api
    from kubernetes.stream import stream
    from kubernetes.stream.ws_client import ERROR_CHANNEL

    what = f"{' '.join(command)!r} in container {container} of pod {namespace}/{pod}"
    with translated(cluster.url, what):
        connection = stream(
            CoreV1Api(cluster.dynamic.client).connect_get_namespaced_pod_exec,
            pod,
            namespace,
            container=container,
            command=list(command),
            stdout=True,
            stderr=True,
            stdin=False,
            tty=False,
            _preload_content=False,
        )
        with ExitStack() as undo:
            undo.callback(connection.sock.shutdown)  # `close` leaves the socket open when the server has closed first
            connection.run_forever(timeout=_PATIENCE)
            if connection.is_open():
                raise SiteError(f"{what} has not ended within {_PATIENCE:g} s", next_step=_NEXT)
            status = str(connection.read_channel(ERROR_CHANNEL))
            output, errors = str(connection.read_stdout()), str(connection.read_stderr())
    _raise_unless_ended_well(what, status, errors)
    return output


def _raise_unless_ended_well(what: str, status: str, errors: str) -> None:
    """status: what the error channel said last, a Status as JSON (kubernetes-api sheet, exec)."""
    try:
        said = json.loads(status)
    except json.JSONDecodeError as error:
        raise SiteError(f"{what} ended without a status: {status or 'nothing'}", next_step=_NEXT) from error
    if said.get("status") != "Success":
        raise SiteError(f"{what}: {said.get('message', 'failed')}: {errors.strip()[-400:]}", next_step=_NEXT)
