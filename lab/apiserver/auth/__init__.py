"""Who asks (tokens, client certificates) and what they may do (RBAC, reviews): sheet §1.5."""
