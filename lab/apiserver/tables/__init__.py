"""Tables and metadata-only objects as kubectl and metadata informers ask for them (sheet §3.6)."""
