"""The plans automated: one package per plan, one module per requirement."""
