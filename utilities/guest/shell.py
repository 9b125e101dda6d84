"""Commands in a guest over SSH; the host key is pinned at first contact and must stay the same after a move."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

import paramiko
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from utilities.errors import GuestError
from utilities.guest.credentials import GuestKey
from utilities.guest.tunnel import Gateway

_PORT = 22
_ATTEMPT = 20.0  # wall seconds for one connection with key exchange, on a busy machine
_NONE = -1  # paramiko's status of a command whose end was never told
_PAUSE = 0.2  # wall seconds between two attempts


class GuestShell:
    """SSH to one VMI. Connects when first used, and anew after the tunnel broke (a move changes the pod's address)."""

    def __init__(self, gateway: Gateway, namespace: str, vmi: str, key: GuestKey, within: float) -> None:
        self._gateway = gateway
        self._namespace = namespace
        self._vmi = vmi
        self._key = key
        self._within = within
        self._transport: paramiko.Transport | None = None
        self._host_key: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, command: str, *, stdin: str = "", timeout: float = 60.0) -> str:
        """Standard output of a command, without its last newline. Raises GuestError when it does not end with 0.

        timeout: wall seconds without any output.
        """
        transport = self._connected()
        try:
            with transport.open_session(timeout=timeout) as channel:
                channel.settimeout(timeout)
                channel.exec_command(command)
                channel.sendall(stdin.encode())
                channel.shutdown_write()
                output = channel.makefile("rb").read().decode(errors="replace")
                errors = channel.makefile_stderr("rb").read().decode(errors="replace")
                status = channel.recv_exit_status()
                if status == _NONE:
                    raise EOFError("the connection ended before the command")
        except (paramiko.SSHException, OSError, EOFError) as error:
            self.close()
            raise GuestError(
                f"{self._name()}: {command!r} was cut off: {error}", next_step="look at the VMI"
            ) from error
        if status:
            tail = (errors or output).strip()[-400:]
            raise GuestError(
                f"{self._name()}: {command!r} ended with status {status}: {tail}",
                next_step="run it in the guest's console",
            )
        return output.removesuffix("\n")

    def reconnect(self) -> None:
        """Leave the present connection behind; the next command makes a new one (after a move)."""
        self.close()

    def close(self) -> None:
        """Close the connection if there is one."""
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def _connected(self) -> paramiko.Transport:
        if self._transport is None or not self._transport.is_active():
            self.close()
            started = time.monotonic()
            attempts = Retrying(
                retry=retry_if_exception_type(_NotYet),
                stop=stop_after_delay(self._within),
                wait=wait_fixed(_PAUSE),
                reraise=True,
            )
            try:
                self._transport = attempts(self._connect)
            except _NotYet as error:
                raise GuestError(
                    f"{self._name()} did not answer on SSH within {time.monotonic() - started:.0f} s: {error}",
                    next_step="read the guest's console; its image must start sshd and run cloud-init",
                ) from error
        return self._transport

    def _connect(self) -> paramiko.Transport:
        seconds = min(_ATTEMPT, self._within)
        try:
            transport = paramiko.Transport(self._gateway.open(self._namespace, self._vmi, _PORT, seconds))  # type: ignore[arg-type]  # a tunnel has the four methods a socket needs here
        except GuestError as error:
            raise _NotYet(str(error)) from error
        try:
            transport.start_client(timeout=seconds)
            self._pin(transport)
            transport.auth_publickey(self._key.user, self._key.private)
        except (paramiko.SSHException, OSError, EOFError) as error:
            transport.close()
            raise _NotYet(str(error)) from error
        except GuestError:
            transport.close()
            raise
        return transport

    def _pin(self, transport: paramiko.Transport) -> None:
        shown = transport.get_remote_server_key().get_base64()
        if self._host_key is None:
            self._host_key = shown
        elif shown != self._host_key:
            raise GuestError(
                f"{self._name()} shows another host key than at first contact: this is not the same guest",
                next_step="compare the VMI's UID and the guest's boot id before and after",
            )

    def _name(self) -> str:
        return f"guest of VMI {self._namespace}/{self._vmi}"


class _NotYet(Exception):  # noqa: N818  internal: asks for another attempt
    """The guest does not answer yet."""
