"""The SSH protocol of a guest, by asyncssh: who may log in, and sessions that are shells of the guest."""

import socket

import asyncssh

from lab.guests.accounts import Account
from lab.guests.hostkey import private_host_key
from lab.guests.machine import GuestMachine
from lab.guests.sessions import Session
from lab.guests.signals import signal_number

_VERSION = "OpenSSH_9.8"
_INTERRUPT, _END_OF_INPUT = b"\x03", b"\x04"


async def serve(machine: GuestMachine, sock: socket.socket) -> None:
    """Speak SSH on a connected socket until either side ends it."""
    key = asyncssh.import_private_key(private_host_key(machine))
    try:
        connection = await asyncssh.run_server(
            sock,
            server_factory=lambda: _Server(machine),
            server_host_keys=[key],
            server_version=_VERSION,
            encoding=None,
            line_editor=False,
            login_timeout=0,
            agent_forwarding=False,
            tcp_keepalive=False,
            compression_algs=None,
        )
        await connection.wait_closed()
    except (asyncssh.Error, OSError):
        return  # refused, or gone: the client knows, and nobody else has to


class _Server(asyncssh.SSHServer):
    """Authentication by what is in the guest: its accounts, and the authorized_keys on its disk."""

    def __init__(self, machine: GuestMachine) -> None:
        self._machine = machine
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn

    def begin_auth(self, _username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        offered = key.export_public_key("openssh").decode().split()[:2]
        return any(offered == line.split()[:2] for line in self._machine.authorized_keys(username))

    def password_auth_supported(self) -> bool:
        return self._machine.config.user_data.ssh_password_login

    def validate_password(self, username: str, password: str) -> bool:
        account = self._machine.account(username)
        return account is not None and account.password is not None and account.password == password

    def session_requested(self) -> "_Session | bool":
        if self._connection is None:
            return False
        account = self._machine.account(self._connection.get_extra_info("username"))
        return _Session(self._machine, account) if account is not None else False


class _Session(asyncssh.SSHServerSession[bytes]):
    """One channel: exec or shell, with or without a terminal. Subsystems (sftp) are refused."""

    def __init__(self, machine: GuestMachine, account: Account) -> None:
        self._machine = machine
        self._account = account
        self._channel: asyncssh.SSHServerChannel[bytes] | None = None
        self._command: str | None = None
        self._terminal = False
        self._session: Session | None = None

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan

    def pty_requested(self, _term_type: str, _term_size: object, _term_modes: object) -> bool:
        self._terminal = True
        return True

    def shell_requested(self) -> bool:
        return self._machine.running

    def exec_requested(self, command: str) -> bool:
        self._command = command
        return self._machine.running

    def session_started(self) -> None:
        self._session = Session(
            self._machine.kernel,
            self._account,
            self._command,
            stdout=self._write,
            stderr=self._write if self._terminal else self._write_error,
            finished=self._finished,
            terminal=self._terminal,
        )

    def data_received(self, data: bytes, _datatype: int | None) -> None:
        if self._session is None:
            return
        if self._terminal:
            data = self._typed(data, self._session)
        self._session.feed(data)

    def eof_received(self) -> bool:
        if self._session is not None:
            self._session.end_input()
        return True

    def signal_received(self, signal: str) -> None:
        if self._session is not None:
            self._session.signal(signal_number(signal))

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._session is not None:
            self._session.disconnect()

    def _typed(self, data: bytes, session: Session) -> bytes:
        """What a terminal makes of keys: it echoes them, and some are no input but actions."""
        text = data.replace(b"\r", b"\n")
        self._write(text)
        if _INTERRUPT in text:
            session.interrupt()
        if _END_OF_INPUT in text:
            session.feed(text.partition(_END_OF_INPUT)[0])
            session.end_input()
            return b""
        return text.replace(_INTERRUPT, b"")

    def _write(self, data: bytes) -> None:
        if self._channel is not None and not self._channel.is_closing():
            self._channel.write(data.replace(b"\n", b"\r\n") if self._terminal else data)

    def _write_error(self, data: bytes) -> None:
        if self._channel is not None and not self._channel.is_closing():
            self._channel.write_stderr(data)

    def _finished(self, status: int) -> None:
        if self._channel is not None and not self._channel.is_closing():
            self._channel.exit(status)
