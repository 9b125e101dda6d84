"""The HTTPS front: paths, negotiation, bodies, replies and the server itself (sheet §1, §2.1, §3)."""
