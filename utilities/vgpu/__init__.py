"""VMs with vGPUs: starting them, watching what happens to them, and the capacity around them."""
