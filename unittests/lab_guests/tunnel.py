"""A paramiko client whose bytes reach a guest as through a port-forward: a socket pair, pumped by the event loop."""

import asyncio
import io
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import paramiko
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from lab.guests import GuestMachine, connect

_TIMEOUT = 30


@dataclass(frozen=True)
class Key:
    """A client's key: the private half, and the line for authorized_keys."""

    private: paramiko.Ed25519Key
    public: str


def new_key() -> Key:
    """A fresh ed25519 key."""
    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    return Key(paramiko.Ed25519Key.from_private_key(io.StringIO(text)), public)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        return
    finally:
        writer.close()


@asynccontextmanager
async def dialled(machine: GuestMachine) -> AsyncIterator[paramiko.Transport]:
    """A transport to the guest's sshd, with nobody logged in."""
    reader, writer = await connect(machine)
    near, far = socket.socketpair()
    far_reader, far_writer = await asyncio.open_connection(sock=far)
    pumps = [asyncio.create_task(_pump(reader, far_writer)), asyncio.create_task(_pump(far_reader, writer))]
    transport = paramiko.Transport(near)
    try:
        await asyncio.to_thread(transport.start_client, timeout=_TIMEOUT)
        yield transport
    finally:
        await asyncio.to_thread(transport.close)
        await asyncio.gather(*pumps)


@asynccontextmanager
async def logged_in(machine: GuestMachine, key: Key, user: str = "fedora") -> AsyncIterator[paramiko.Transport]:
    """A transport with `user` logged in by key."""
    async with dialled(machine) as transport:
        await asyncio.to_thread(transport.auth_publickey, user, key.private)
        yield transport


def execute(transport: paramiko.Transport, command: str, stdin: bytes = b"") -> tuple[bytes, bytes, int]:
    """Run a command; standard output, standard error and exit status. Blocks: call it in a thread."""
    with transport.open_session(timeout=_TIMEOUT) as channel:
        channel.settimeout(_TIMEOUT)
        channel.exec_command(command)
        channel.sendall(stdin)
        channel.shutdown_write()
        output = channel.makefile("rb").read()
        errors = channel.makefile_stderr("rb").read()
        return output, errors, channel.recv_exit_status()
