"""The four patch types, and who owns which field (kubernetes-api sheet §4)."""
