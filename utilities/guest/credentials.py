"""The key a run logs in to its guests with, made for this run and never written to disk."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

import paramiko
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


@dataclass(frozen=True, slots=True)
class GuestKey:
    """A user name and a key pair."""

    user: str
    private: paramiko.PKey = field(repr=False)

    @classmethod
    def generate(cls, user: str) -> GuestKey:
        """A new ed25519 key."""
        pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
        return cls(user, paramiko.Ed25519Key.from_private_key(io.StringIO(pem.decode())))

    def cloud_config(self) -> str:
        """cloud-init user data that creates the user with this key and no password."""
        public = f"{self.private.get_name()} {self.private.get_base64()}"
        document = {
            "user": self.user,
            "ssh_pwauth": False,
            "ssh_authorized_keys": [public],
            "runcmd": [["systemctl", "enable", "--now", "sshd"], ["systemctl", "start", "qemu-guest-agent"]],
        }
        return f"#cloud-config\n{yaml.safe_dump(document, sort_keys=False)}"
