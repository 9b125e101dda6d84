"""What virt-handler does to domains: start, shut down, kill, clean up (kubevirt sheet §2.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lab.controllers.decisions import Row, Table, hold
from lab.controllers.effects import Do, Effect
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.handler.view import HandlerView

Then = Callable[[HandlerView], Sequence[Effect]]


def work_table(domains: Domains, start: Callable[[HandlerView], None]) -> Table[HandlerView]:
    """The table over these domains; `start` brings a guest up."""

    def to_domain(what: str, action: Callable[[Domain], None]) -> Then:
        def then(view: HandlerView) -> Sequence[Effect]:
            domain = view.domain
            return () if domain is None else (Do(what, lambda: action(domain)),)

        return then

    def clean_up(view: HandlerView) -> Sequence[Effect]:
        removal = to_domain("remove the domain", domains.destroy)(view)
        return (*removal, view.event("Normal", "Deleted", "Signaled Deletion"))

    def ask(view: HandlerView) -> Sequence[Effect]:
        asking = to_domain("power button", lambda domain: domains.ask_to_shut_down(domain, view.now))(view)
        return (*asking, view.event("Normal", "ShuttingDown", "Signaled Graceful Shutdown"))

    def kill(view: HandlerView) -> Sequence[Effect]:
        killing = to_domain("kill the domain", lambda domain: domains.end(domain, "destroyed"))(view)
        return (*killing, view.event("Normal", "Deleted", "VirtualMachineInstance stopping"))

    def define(view: HandlerView) -> Sequence[Effect]:
        defined = view.event("Normal", "Created", "VirtualMachineInstance defined.")
        return (Do("start the domain", lambda: start(view)), defined)

    return Table(
        "virt-handler",
        (
            Row("final", lambda view: view.final and view.domain is not None, clean_up),
            Row("final and clean", lambda view: view.final, hold),
            Row("kill at once", lambda view: view.stopping and view.grace == 0, kill),
            Row("ask to power off", lambda view: view.stopping and _not_asked(view), ask),
            Row(
                "powers off in time",
                lambda view: view.stopping and view.shutdown_delay <= view.grace and _running(view),
                to_domain("guest is off", lambda domain: domains.end(domain, "shutdown")),
                after=lambda view: (view.asked_at or 0.0) + view.shutdown_delay,
            ),
            Row(
                "grace is over",
                lambda view: view.stopping,
                kill,
                after=lambda view: (view.asked_at or 0.0) + view.grace,
            ),
            Row("deleted before its start", lambda view: view.deleting and view.domain is None, hold),
            Row(
                "start",
                lambda view: view.phase == "Scheduled" and view.domain is None and view.launcher_ready,
                define,
                after=lambda view: view.scheduled_at + view.start_delay,
            ),
            Row("nothing to do", lambda _: True, hold),
        ),
    )


def _not_asked(view: HandlerView) -> bool:
    return view.asked_at is None


def _running(view: HandlerView) -> bool:
    return view.domain is not None and view.domain.running
