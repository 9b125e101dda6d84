"""The Common Expression Language as far as definitions in use need it (kubernetes-api sheet §5.3)."""
