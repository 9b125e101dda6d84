"""User accounts of a guest."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """One line of /etc/passwd, and the password as cloud-init set it (None: locked)."""

    name: str
    uid: int
    home: str
    password: str | None = None
    password_expired: bool = False

    @property
    def is_root(self) -> bool:
        """Whether permissions are not checked for this account."""
        return self.uid == 0


ROOT = Account("root", 0, "/root")
FIRST_USER_UID = 1000
