"""Answers requests: who asks, how the request is to be treated, which route it takes, in which form it is refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson
from multidict import MultiMapping

from lab.controllers.answers import answer
from lab.openstack.cloud import Cloud
from lab.openstack.http.calls import Call
from lab.openstack.http.journal import Heard, Log
from lab.openstack.http.keystone import unauthorized
from lab.openstack.http.replies import Reply, keystone_form
from lab.openstack.http.requests import REQUESTS, SERVED, Asked, Treatment
from lab.openstack.http.routing import Route, Service
from lab.openstack.identity.tokens import Token
from lab.openstack.refusals import NotSimulatedError, RefusalError

_WITH_CHARSET = "application/json; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as it came: service and parts of the path below it, decoded; root is the URL of the front."""

    method: str
    root: str
    service: str
    parts: tuple[str, ...]
    raw_path: str
    query: MultiMapping[str]
    headers: Mapping[str, str]
    content: bytes
    request_id: str

    @property
    def path(self) -> str:
        """The path within the service."""
        return "/" + "/".join(self.parts)

    @property
    def action(self) -> str:
        """The one key of the body of `POST …/action`, else ""."""
        if self.method != "POST" or self.parts[-1] != "action":
            return ""
        try:
            body = orjson.loads(self.content)
        except orjson.JSONDecodeError:
            return ""
        return str(next(iter(body))) if isinstance(body, dict) and len(body) == 1 else ""


class Desk:
    """Answers for all services of one cloud."""

    def __init__(self, cloud: Cloud, services: Iterable[Service]) -> None:
        self.log = Log()
        self._cloud = cloud
        self._services = {service.name: service for service in (*services, self.log.service())}
        self._requests = cloud.faults.ahead_of(REQUESTS)
        self._seen: Counter[tuple[str, str, str, str]] = Counter()

    async def answer(self, incoming: Incoming) -> Reply:
        """The reply, refusals included."""
        service = self._services.get(incoming.service)
        if service is None:
            refusal = NotSimulatedError(f"{incoming.method} {incoming.raw_path}")
            return Reply(501, keystone_form(refusal, incoming.request_id))
        served, at = False, self._cloud.clock.now()
        try:
            found, token = self._admitted(service, incoming)
            treatment = self._treatment(incoming)
            if treatment.held:
                await self._pass(treatment.held)
                at = self._cloud.clock.now()
            if treatment.refusal is not None:
                raise treatment.refusal
            if found is None:
                raise NotSimulatedError(f"{incoming.method} {incoming.raw_path}")
            reply = self._dispatch(service, incoming, found, token)
            served = True
            if treatment.lost is not None:
                raise treatment.lost
        except RefusalError as refusal:
            reply = self.refused(incoming, refusal)
        self._note(at, incoming, reply, served)
        return reply

    def refused(self, incoming: Incoming, refusal: RefusalError) -> Reply:
        """A refusal in the form of the service."""
        service = self._services.get(incoming.service)
        if refusal.status == 401 or service is None:
            challenge = {"WWW-Authenticate": f'Keystone uri="{incoming.root}/identity"'}
            return Reply(refusal.status, keystone_form(refusal, ""), challenge if refusal.status == 401 else {})
        headers = {}
        if service.versions is not None:
            headers = {**service.versions.shown(incoming.headers), "Content-Type": _WITH_CHARSET}
        return Reply(refusal.status, service.form(refusal, incoming.request_id), headers)

    def _admitted(
        self, service: Service, incoming: Incoming
    ) -> tuple[tuple[Route, Mapping[str, str]] | None, Token | None]:
        """The route, if there is one, and the token; refuses with 401 where one is needed."""
        found = service.find(incoming.method, incoming.parts)
        token = self._cloud.tokens.find(incoming.headers.get("X-Auth-Token", ""))
        if token is None and (found is None or not found[0].open):
            raise unauthorized()
        return found, token

    def _treatment(self, incoming: Incoming) -> Treatment:
        key = (incoming.service, incoming.method, incoming.path, incoming.action)
        parts = incoming.parts
        server = self._cloud.state.server(parts[2]) if len(parts) > 2 and parts[1] == "servers" else None
        agent = incoming.headers.get("User-Agent", "")
        asked = Asked(*key, server, self._cloud.clock.now(), self._seen[key], agent)
        self._seen[key] += 1
        treatment: Treatment = answer(self._requests, asked, SERVED)
        return treatment

    def _dispatch(
        self, service: Service, incoming: Incoming, found: tuple[Route, Mapping[str, str]], token: Token | None
    ) -> Reply:
        route, names = found
        version = service.versions.asked(incoming.headers) if service.versions is not None else (0, 0)
        if version[1] < route.since:
            raise RefusalError(404, "The resource could not be found.")
        call = Call(
            cloud=self._cloud,
            method=incoming.method,
            root=incoming.root,
            base=f"{incoming.root}/{service.name}",
            path=incoming.path,
            names=names,
            query=incoming.query,
            headers=incoming.headers,
            content=incoming.content,
            token=token,
            version=version,
            request_id=incoming.request_id,
        )
        reply = route.handler(call)
        if service.versions is None or route.open:
            return reply
        return Reply(reply.status, reply.body, {**service.versions.headers(version), **reply.headers})

    def _note(self, at: float, incoming: Incoming, reply: Reply, served: bool) -> None:
        """at: before anything came of it; the clock flows on while a request from outside is answered."""
        self.log.heard.append(
            Heard(
                at,
                incoming.service,
                incoming.method,
                incoming.path,
                incoming.action,
                reply.status,
                served,
                incoming.request_id,
            )
        )

    async def _pass(self, seconds: float) -> None:
        """Let product time pass."""
        passed = asyncio.Event()
        timer = self._cloud.clock.call_later(seconds, passed.set)
        try:
            await passed.wait()
        finally:
            timer.cancel()
