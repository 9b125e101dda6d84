"""What all tests of the suite and the lab have in common."""

from hypothesis import HealthCheck, settings

# properties are about what is computed, never about how long that takes: machines that run these tests are busy
settings.register_profile("busy", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def pytest_collection_modifyitems(items):
    """The fault matrices take longest and wait most: they begin first, and workers take files in this order."""
    items.sort(key=lambda item: not item.path.name.endswith("_faults.py") or item.path.parent.name != "matrix")
