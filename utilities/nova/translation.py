"""The boundary: what OpenStack and its client library say becomes the suite's own errors, once and here.

Messages carry the address, the request and the server's words; never a header, so never a token or a password.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from utilities.clients.translation import KINDS
from utilities.errors import ApiError, SiteError, SuiteError, Unreachable
from utilities.evidence.redaction import redact_text

_NEXT = {
    400: "correct the request as the message says",
    403: "grant the role to this user, or name another cloud of clouds.yaml in the site file (openstack.cloud)",
    404: "check that it exists, and that the project of the credentials may see it",
    406: "use a cloud whose Nova serves this microversion",
    409: "read the object again: its state forbids this, or somebody else changed it",
}
_LONGEST = 1000
"""Characters of a body in no known form which are worth repeating."""


def refusal(url: str, doing: str, code: int, body: str) -> SuiteError:
    """The error for a reply with that HTTP status. `doing` is the request as `VERB path`."""
    message, reason = _said(body)
    if code == 401:
        return SiteError(
            f"{url} rejects the credentials (401 to {doing}): {message}",
            next_step="correct the credentials in the clouds.yaml named in the site file (openstack.clouds)",
        )
    next_step = "look at the state and the load of the cloud, then run again" if code == 429 or code >= 500 else ""
    return KINDS.get(code, ApiError)(
        f"{url} answers {code} {reason or 'error'} to {doing}: {message}",
        next_step=next_step or _NEXT.get(code, _NEXT[400]),
        code=code,
        reason=reason,
        message=message,
    )


@contextmanager
def translated(url: str, doing: str) -> Iterator[None]:
    """Around calls of the client library: its errors leave as the suite's. Imports it, so use it only where it is."""
    from keystoneauth1 import exceptions as keystone
    from openstack import exceptions as sdk

    try:
        yield
    except (keystone.ConnectFailure, keystone.ConnectTimeout, keystone.UnknownConnectionError) as error:
        raise Unreachable(
            f"{url} is not reachable ({doing}): {_text(error)}",
            next_step="check that the cloud answers, and its addresses in clouds.yaml and in the catalog of services",
        ) from error
    except keystone.ConnectionError as error:  # what is left of it is TLS
        raise SiteError(
            f"{url} shows a certificate that is not trusted ({doing}): {_text(error)}",
            next_step="name the cloud's certificate authority in clouds.yaml (cacert)",
        ) from error
    except (keystone.HttpError, sdk.HttpException) as error:
        code = int(getattr(error, "http_status", None) or getattr(error, "status_code", None) or 0)
        raise refusal(url, doing, code, _text(error)) from error
    except (keystone.ClientException, sdk.SDKException) as error:
        raise SiteError(
            f"{url}: {doing} cannot be sent: {_text(error)}",
            next_step="check the cloud's entry in clouds.yaml and what its catalog offers (compute, placement, image)",
        ) from error


def _text(error: Exception) -> str:
    return redact_text(str(error))


def _said(body: str) -> tuple[str, str]:
    """(message, name of the fault) of Nova's, Keystone's and Placement's forms; the text itself of anything else."""
    try:
        found = json.loads(body)
    except json.JSONDecodeError:
        found = None
    if isinstance(found, dict) and len(found) == 1:
        ((name, fault),) = found.items()
        if isinstance(fault, dict) and "message" in fault:
            return redact_text(str(fault["message"])), str(fault.get("title") or name)
        if isinstance(fault, list) and fault and isinstance(fault[0], dict):
            first = fault[0]
            return redact_text(str(first.get("detail", first))).strip(), str(first.get("code") or name)
    return redact_text(body[:_LONGEST]).strip(), ""
