"""What can go wrong with a simulated guest on purpose."""


class GuestError(Exception):
    """Root of the errors that `lab.guests` raises to its caller."""


class UserDataError(GuestError):
    """The cloud-init user data is malformed, or asks for something the lab does not simulate (the message names it)."""


class NotSimulatedError(GuestError):
    """A program was asked for something the lab does not know: it ends with status 2 and this text on its stderr."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not simulated")
