"""A connection to a cloud through openstacksdk: which finds endpoints, versions and tokens, and renews them.

Requests are sent as they are written here, at a microversion that is said, because the library's own verbs choose
lower ones for some of them (openstack sheet §4, §11: live migration at 2.30, paging of migrations by a wrong marker).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from time import monotonic, time
from typing import Any, Literal, Protocol, Self

from utilities.errors import SiteError
from utilities.nova.translation import refusal, translated

Service = Literal["compute", "placement", "image"]
WANTED, NEEDED = (2, 95), (2, 90)
"""Microversions of compute: the one used where it is offered, and the one that a drain stands on."""
PLACEMENT = "1.39"
PAGE = 1000
"""Records asked for at once; a cloud may give fewer."""
_DATE_RESOLUTION = 1.0

Query = Mapping[str, str | int | bool | None]


class Timed(Protocol):
    """Something that was asked for and answered."""

    @property
    def sent(self) -> float:
        """UNIX seconds on the cloud's clock."""

    @property
    def received(self) -> float:
        """UNIX seconds on the cloud's clock."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply and when it was true: at some moment between `sent` and `received`, UNIX seconds on the cloud's clock.

    body: decoded JSON, None when there is none. That clock is read from the reply's own Date, which has whole seconds.
    """

    body: Any
    sent: float
    received: float


@dataclass(frozen=True, slots=True)
class Span:
    """When requests were made: the first was sent, and the last one answered, UNIX seconds on the cloud's clock."""

    sent: float
    received: float

    @classmethod
    def over(cls, parts: Iterable[Timed]) -> Span:
        """Of several requests; there must be one."""
        sent, received = zip(*((part.sent, part.received) for part in parts), strict=True)
        return cls(min(sent), max(received))


class Cloud:
    """One user's connection to one cloud. Any thread may use it; close it.

    url: where its identity service is. time_scale: product seconds per wall second. Errors are the suite's own
    (ApiError, Unreachable, SiteError).
    """

    def __init__(self, connection: Any, url: str, time_scale: float = 1.0) -> None:
        self._connection = connection
        self._time_scale = time_scale
        self.url = url
        with translated(url, "discovery of compute"):
            data = connection.compute.get_endpoint_data()
        most = tuple(data.max_microversion or (2, 1)) if data is not None else (2, 1)
        if most < NEEDED:
            raise SiteError(
                f"{url}: Nova serves microversions up to {_dotted(most)}, the suite needs {_dotted(NEEDED)}",
                next_step="run on a cloud with a newer Nova",
            )
        self.microversion = _dotted(min(most, WANTED))

    def compute(self, method: str, path: str, *, query: Query | None = None, body: object = None) -> Any:
        """A request to Nova; the decoded JSON of the reply, None for an empty one."""
        return self.send("compute", method, path, query=query, body=body).body

    def placement(self, method: str, path: str, *, query: Query | None = None, body: object = None) -> Any:
        """The same to Placement."""
        return self.send("placement", method, path, query=query, body=body).body

    def image(self, method: str, path: str, *, query: Query | None = None) -> Any:
        """The same to Glance, below its version."""
        return self.send("image", method, path, query=query).body

    def send(
        self,
        service: Service,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = None,
        none_for: int | None = None,
    ) -> Reply:
        """Any request. none_for: an HTTP status that is an answer, without a body, rather than an error."""
        from keystoneauth1.adapter import Adapter

        version = {"compute": self.microversion, "placement": PLACEMENT}.get(service)
        doing = f"{method} {path}"
        begun = monotonic()
        with translated(self.url, doing):
            answer = Adapter.request(  # the library's own override of it warns about itself, on every request
                getattr(self._connection, service),
                path,
                method,
                params={name: value for name, value in (query or {}).items() if value is not None},
                json=body,
                microversion=version,
                raise_exc=False,
            )
        return self._read(answer.url.partition(path)[0], doing, answer, monotonic() - begun, none_for)

    def found(self, path: str) -> Reply:
        """GET something of Nova's that may be gone: then the body is None, and the times say when that was so."""
        return self.send("compute", "GET", path, none_for=404)

    def fetch(self, url: str) -> Reply:
        """GET an address outside the catalog, with this user's token: the journal of a lab."""
        begun = monotonic()
        with translated(url, "GET"):
            answer = self._connection.session.get(url, raise_exc=False)
        return self._read(url, "GET", answer, monotonic() - begun)

    def listed(self, path: str, key: str, *, query: Query | None = None) -> Iterator[dict[str, Any]]:
        """Every element of a list of Nova's. path: such as `/servers/detail`. key: where the body has the list."""
        for reply in self.pages(path, key, query=query):
            yield from reply.body[key]

    def pages(self, path: str, key: str, *, query: Query | None = None, marker: str = "id") -> Iterator[Reply]:
        """The same page by page. marker: the field of an element that the next page starts behind."""
        asked = {**(query or {}), "limit": PAGE}
        while True:
            reply = self.send("compute", "GET", path, query=asked)
            yield reply
            if not reply.body[key] or f"{key}_links" not in reply.body:
                return
            asked["marker"] = reply.body[key][-1][marker]

    def close(self) -> None:
        """Close connections."""
        self._connection.close()
        self._connection.session.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, url: str, doing: str, answer: Any, took: float, none_for: int | None = None) -> Reply:
        absent = answer.status_code == none_for
        if answer.status_code >= 400 and not absent:
            raise refusal(url, doing, answer.status_code, answer.text)
        try:
            body = answer.json() if answer.content and not absent else None
        except ValueError as error:
            raise refusal(url, doing, answer.status_code, answer.text) from error
        date = answer.headers.get("Date")
        at = parsedate_to_datetime(date).timestamp() if date else time()
        return Reply(body, at - took * self._time_scale, at + _DATE_RESOLUTION)


def connect_cloud(clouds: Path, cloud: str, *, request_timeout: float, time_scale: float = 1.0) -> Cloud:
    """A connection by an entry of a clouds.yaml, checked to answer; nothing else is read, the environment neither.

    request_timeout: wall seconds for a single request. Raises SiteError when the file or the entry is not usable or
    the credentials are rejected, Unreachable when nobody answers.
    """
    from openstack.config import OpenStackConfig
    from openstack.connection import Connection
    from openstack.warnings import RemovedInSDK60Warning

    if not clouds.is_file():
        raise SiteError(f"{clouds}: no such file", next_step="name a clouds.yaml in the site file (openstack.clouds)")
    with translated(str(clouds), f"cloud {cloud}"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RemovedInSDK60Warning)  # about metrics that nobody asked for
        config = OpenStackConfig(
            config_files=[str(clouds)],
            vendor_files=[],
            secure_files=[str(clouds.parent / "secure.yaml")],
            load_envvars=False,
        )
        region = config.get_one(cloud=cloud, api_timeout=request_timeout)
        connection = Connection(config=region)
        connection.session.session.trust_env = False
    url = str(region.config["auth"].get("auth_url", clouds))
    try:
        return Cloud(connection, url, time_scale)
    except BaseException:
        connection.close()
        connection.session.session.close()
        raise


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
