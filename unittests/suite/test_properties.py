"""Properties are judged by what they find, not by how long a busy machine takes to look."""

from hypothesis import HealthCheck, settings

from ..history import test_nova_flights


def test_no_property_has_a_deadline():
    of_one = test_nova_flights.test_a_journal_is_exact._hypothesis_internal_use_settings
    assert settings.default.deadline is None
    assert of_one.deadline is None, "settings of its own do not bring the deadline back"
    assert HealthCheck.too_slow in of_one.suppress_health_check
