"""The HTTPS front over the wire: conformance checks, traps, real clients."""
