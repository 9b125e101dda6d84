"""A simulated OpenStack: Keystone v3, Nova 2.1, Placement, and what of images and networks a drain needs."""
