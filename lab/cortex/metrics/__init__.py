"""What Cortex counts, in Prometheus' text form (cortex sheet §7)."""
