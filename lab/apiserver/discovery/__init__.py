"""What the server offers: legacy and aggregated discovery, OpenAPI (sheet §1.2, §1.3)."""
