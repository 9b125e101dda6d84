"""Property tests that run the same everywhere, however busy the machine is."""

from hypothesis import settings

STEADY = settings(derandomize=True, max_examples=50)
