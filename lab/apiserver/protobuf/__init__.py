"""Protobuf request bodies of kubectl and Go clients, decoded to the JSON they stand for (sheet §1.6)."""
