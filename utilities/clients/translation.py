"""The boundary: what clients raise becomes the suite's own errors, once and here."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import orjson
import urllib3

from utilities.errors import ApiError, Conflict, Forbidden, Gone, NotFound, SiteError, SuiteError, Unreachable

KINDS: dict[int, type[ApiError]] = {403: Forbidden, 404: NotFound, 409: Conflict, 410: Gone}
_NEXT = {
    403: "grant the permission to this user, or name other credentials in the site file",
    404: "check that it exists, and that names and namespaces in the site file match the installation",
    409: "read the object again: somebody else changed it, or its state forbids this",
    410: "start again from a new list",
}
_LONGEST = 1000
"""Characters of a body that is no Status which are worth repeating."""


def refusal(url: str, doing: str, code: int, body: bytes | str) -> SuiteError:
    """The error for an answer with that HTTP status. `doing` is the request as `VERB path`."""
    message, reason, causes = _status(body)
    if code == 401:
        return SiteError(
            f"{url} rejects the credentials (401 to {doing}): the token or certificate is expired or unknown",
            next_step="log in again and write the new credentials to the kubeconfig named in the site file",
        )
    next_step = _NEXT.get(code, "correct the request as the message says")
    if code == 429 or code >= 500:
        next_step = "look at the state and the load of the API server, then run again"
    return KINDS.get(code, ApiError)(
        f"{url} answers {code} {reason or 'error'} to {doing}: {message}",
        next_step=next_step,
        code=code,
        reason=reason,
        message=message,
        causes=causes,
    )


def broken(url: str, doing: str, error: urllib3.exceptions.HTTPError) -> SiteError:
    """The error for a request that got no answer."""
    reason: BaseException = getattr(error, "reason", None) or error
    certificate = any(isinstance(part, ssl.SSLCertVerificationError) for part in _chain(error))
    if certificate:
        return SiteError(
            f"{url} shows a certificate that is not trusted: {reason}",
            next_step="put the cluster's certificate authority into the kubeconfig named in the site file",
        )
    return Unreachable(
        f"{url} is not reachable ({doing}): {reason}",
        next_step="check that the cluster runs, and the server address in the kubeconfig named in the site file",
    )


@contextmanager
def translated(url: str, doing: str) -> Iterator[None]:
    """Around calls of the kubernetes library or the wrapper: their errors leave as the suite's.

    Imports the library, so use it only where that is loaded anyway.
    """
    from kubernetes.client.exceptions import ApiException
    from kubernetes.dynamic.exceptions import ResourceNotFoundError

    try:
        yield
    except ApiException as error:
        raise refusal(url, doing, int(error.status or 0), error.body or str(error.reason)) from error
    except ResourceNotFoundError as error:
        raise NotFound(
            f"{url} does not serve what {doing} needs: {error}", next_step=_NEXT[404], code=404, message=str(error)
        ) from error
    except urllib3.exceptions.HTTPError as error:
        raise broken(url, doing, error) from error


def _status(body: bytes | str) -> tuple[str, str, tuple[dict[str, str], ...]]:
    """(message, reason, causes) of a Kubernetes Status; the text itself of anything else."""
    try:
        status = orjson.loads(body)
    except orjson.JSONDecodeError:
        status = None
    if not isinstance(status, dict) or "message" not in status:
        text = body.decode(errors="replace") if isinstance(body, bytes) else body
        return text[:_LONGEST].strip(), "", ()
    causes = (status.get("details") or {}).get("causes") or ()
    return str(status["message"]), str(status.get("reason") or ""), tuple(causes)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error with everything it was raised from, urllib3's reasons included."""
    current: BaseException | None = error
    while current is not None:
        yield current
        yield from (part for part in current.args if isinstance(part, BaseException))
        reason = getattr(current, "reason", None)  # urllib3 keeps an error there, ssl a word
        current = reason if isinstance(reason, BaseException) else current.__cause__ or current.__context__
