"""The SSH host key of a guest: made with the machine, and the same for as long as it lives, wherever it runs."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from lab.guests.machine import GuestMachine


def host_key(machine: GuestMachine) -> str:
    """The public key as `ssh-ed25519 BASE64`."""
    return _key(machine).public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def private_host_key(machine: GuestMachine) -> bytes:
    """The key in OpenSSH's private format."""
    return _key(machine).private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())


def _key(machine: GuestMachine) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(machine.host_key_seed)
