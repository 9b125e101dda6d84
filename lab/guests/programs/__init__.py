"""The programs of a guest: each is a function from a `Call` to an exit status, or to a routine when it has to wait."""
