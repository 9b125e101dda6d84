"""Running guests as libvirt knows them: one domain per VMI, wherever it runs, and who paused it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

PauseReason = Literal["user", "migration"]
Outcome = Literal["", "shutdown", "crashed", "destroyed"]  # why a domain ended; "": it has not


class Guest(Protocol):
    """What a domain needs of the machine inside it."""

    def pause(self) -> None:
        """Stop the virtual CPUs: no process runs, nothing answers."""

    def resume(self) -> None:
        """Let them go on."""

    def reboot(self) -> None:
        """Start the operating system anew: new boot id, no old process."""

    def shutdown(self) -> None:
        """Power off; harmless on a guest that is off."""

    def drop_connections(self) -> None:
        """Cut every connection: the guest has another address now."""


@dataclass(slots=True, eq=False)
class Domain:
    """One guest. Only `Domains` changes it; everybody may read it.

    The guest's CPUs stand still exactly while `paused`: the user paused it, or a migration suspended it.
    """

    vmi_uid: str
    namespace: str
    name: str
    node: str
    pod_uid: str
    guest: Guest
    mdevs: tuple[str, ...] = ()  # mediated device UUIDs, in the order of devices.gpus
    pci: tuple[str, ...] = ()  # PCI addresses passed through
    user_paused: bool = False
    suspended_for_migration: bool = False
    shutdown_at: float | None = None  # product time at which the guest was asked to power off
    outcome: Outcome = ""

    @property
    def ended(self) -> bool:
        """Whether it is shut off."""
        return self.outcome != ""

    @property
    def mdev_uuid(self) -> str | None:
        """The mediated device of a guest with one vGPU, None without."""
        return self.mdevs[0] if self.mdevs else None

    @property
    def paused(self) -> bool:
        """Whether the guest stands still, for whatever reason."""
        return self.user_paused or self.suspended_for_migration

    @property
    def running(self) -> bool:
        """Whether the guest's CPUs run."""
        return not self.ended and not self.paused


DomainListener = Callable[[Domain], None]


class Domains:
    """All domains by VMI UID. Listeners are told of every change, right after it (this is libvirt's event stream)."""

    def __init__(self) -> None:
        self._by_vmi: dict[str, Domain] = {}
        self._listeners: list[DomainListener] = []

    def get(self, vmi_uid: str) -> Domain | None:
        """The domain of a VMI, None if it does not run (ended domains stay until `destroy`)."""
        return self._by_vmi.get(vmi_uid)

    def __iter__(self) -> Iterator[Domain]:
        return iter(tuple(self._by_vmi.values()))

    def listen(self, listener: DomainListener) -> Callable[[], None]:
        """Follow all changes; returns the way to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def start(self, domain: Domain) -> None:
        """Run a new domain. A VMI has one domain at most: a second one is a bug of the caller."""
        if domain.vmi_uid in self._by_vmi:
            raise ValueError(f"VMI {domain.namespace}/{domain.name} has a domain already")
        self._by_vmi[domain.vmi_uid] = domain
        self._sync(domain)

    def destroy(self, domain: Domain) -> None:
        """Take the domain away, whatever it does; a domain that is gone already is fine."""
        if self._by_vmi.get(domain.vmi_uid) is not domain:
            return
        if not domain.ended:
            domain.outcome = "destroyed"
            domain.guest.shutdown()
        del self._by_vmi[domain.vmi_uid]
        self._tell(domain)

    def ask_to_shut_down(self, domain: Domain, now: float) -> None:
        """Press the guest's power button; what follows is up to its owner. Asking twice changes nothing."""
        if domain.shutdown_at is None:
            domain.shutdown_at = now
            self._tell(domain)

    def end(self, domain: Domain, outcome: Outcome = "shutdown") -> None:
        """The guest is off: it powered itself off, crashed or was killed; the domain stays until `destroy`."""
        if not domain.ended:
            domain.outcome = outcome
            domain.guest.shutdown()
            self._tell(domain)

    def touch(self, domain: Domain) -> None:
        """Something inside the guest changed that its node should look at, such as the agent's channel."""
        self._tell(domain)

    def pause(self, domain: Domain, reason: PauseReason) -> None:
        """Stop the guest for this reason; it goes on when no reason is left."""
        self._mark(domain, reason, True)

    def resume(self, domain: Domain, reason: PauseReason) -> None:
        """Take this reason back."""
        self._mark(domain, reason, False)

    def move(self, domain: Domain, node: str, pod_uid: str, mdev_uuid: str | None) -> None:
        """The guest goes on, the same, on another node in another launcher, with that pod's mediated device."""
        domain.node, domain.pod_uid = node, pod_uid
        domain.mdevs = () if mdev_uuid is None else (mdev_uuid,)
        domain.guest.drop_connections()
        self._tell(domain)

    def _mark(self, domain: Domain, reason: PauseReason, on: bool) -> None:
        if reason == "user":
            domain.user_paused = on
        else:
            domain.suspended_for_migration = on
        self._sync(domain)

    def _sync(self, domain: Domain) -> None:
        if not domain.ended:
            if domain.paused:
                domain.guest.pause()
            else:
                domain.guest.resume()
        self._tell(domain)

    def _tell(self, domain: Domain) -> None:
        for listener in tuple(self._listeners):
            listener(domain)
