"""Writes instance actions and their events."""

from __future__ import annotations

from collections.abc import Iterable

from lab.openstack.compute.actions import Action
from lab.openstack.compute.callers import Caller
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State
from lab.openstack.compute.steps import Mark


class Journal:
    """The actions of all servers."""

    def __init__(self, state: State) -> None:
        self._state = state

    def begin(self, server: Server, name: str, caller: Caller) -> None:
        """An action begins, under the id of the request that asked for it."""
        now = self._state.clock.now()
        self._state.put_action(Action(name, server.id, caller.request_id, caller.user_id, caller.project_id, now, now))

    def mark(self, server_id: str, request_id: str, marks: Iterable[Mark]) -> None:
        """Events of the action with that request id; without such an action nothing is written."""
        action, now = self._state.action(server_id, request_id), self._state.clock.now()
        if action is None:
            return
        for mark in marks:
            if mark.began:
                action = action.begun(mark.name, now, mark.host)
            else:
                action = action.ended(mark.name, now, mark.host, mark.error)
        self._state.put_action(action)

    def last(self, server_id: str, name: str) -> str:
        """The request id of the newest action of that name, "" if there is none."""
        found = [action.request_id for action in self._state.actions_of(server_id) if action.name == name]
        return found[-1] if found else ""
