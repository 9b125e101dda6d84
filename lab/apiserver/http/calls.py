"""One authenticated request, with what handlers ask of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from aiohttp import web

from lab.apiserver.admission import Caller
from lab.apiserver.auth.identity import User
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.http.paths import Target, parse_target, segments

BODY_LIMIT = 3 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Call:
    """A request and who sent it. `parts` are the decoded segments of its path."""

    http: web.BaseRequest
    user: User
    parts: tuple[str, ...]
    target: Target | None
    _body: list[bytes] = field(default_factory=list, repr=False)  # the body, once it has been read

    @property
    def method(self) -> str:
        """The HTTP method, upper case; HEAD is answered like GET."""
        return "GET" if self.http.method == "HEAD" else self.http.method

    @property
    def caller(self) -> Caller:
        """Who writes: user, groups, and the field manager (query, else the user agent up to its first slash)."""
        manager = self.text("fieldManager") or self.http.headers.get("User-Agent", "").partition("/")[0] or "unknown"
        return Caller(self.user.name, self.user.groups, manager)

    @property
    def applier(self) -> Caller:
        """Who applies: the field manager has to be named, there is no fallback."""
        return Caller(self.user.name, self.user.groups, self.text("fieldManager"))

    def text(self, name: str) -> str:
        """A query parameter, "" when absent."""
        return self.http.query.get(name, "")

    def texts(self, name: str) -> list[str]:
        """All values of a repeated query parameter."""
        return self.http.query.getall(name, [])

    def flag(self, name: str) -> bool:
        """A boolean parameter: absent, `0` and any casing of `false` are false, all else is true (trap T1)."""
        value = self.http.query.get(name)
        return value is not None and value != "0" and value.lower() != "false"

    def number(self, name: str) -> int | None:
        """An integer parameter, None when absent or empty; raises 400 on anything else."""
        value = self.text(name)
        if not value:
            return None
        try:
            return int(value)
        except ValueError as error:
            raise bad_request(f'invalid value "{value}" for query parameter {name}: not an integer') from error

    async def body(self) -> bytes:
        """The request body; raises 413 beyond 3 MiB. May be asked for again."""
        if not self._body:
            self._body.append(await self._read())
        return self._body[0]

    async def _read(self) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in self.http.content.iter_any():
            size += len(chunk)
            if size > BODY_LIMIT:
                raise ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {BODY_LIMIT}")
            chunks.append(chunk)
        return b"".join(chunks)


def call_of(request: web.BaseRequest, user: User) -> Call:
    """The call behind an HTTP request."""
    parts = segments(request.rel_url.raw_path)
    return Call(request, user, parts, parse_target(parts))
