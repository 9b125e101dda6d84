"""What tests stand on, on any cluster."""
