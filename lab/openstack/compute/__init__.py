"""Nova: servers, compute services, migrations and the actions that move them."""
