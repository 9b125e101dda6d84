"""A Kubernetes API server in memory: storage, verbs, watches and the HTTPS front (kubernetes-api sheet)."""
