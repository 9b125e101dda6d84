"""Properties are about what is computed, never about how long that takes: machines that run these tests are busy."""

from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
