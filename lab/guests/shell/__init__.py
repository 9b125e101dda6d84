"""A POSIX shell, interpreted inside a guest."""
