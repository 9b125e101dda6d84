"""The eviction controller, serial as on main and parallel as proposed in pull request 353 (operator sheet §2)."""
