"""Numbers over time: every height that was reached is seen."""

import pytest

from unittests.evidence.test_chart import SVG, parsed, percent
from utilities.evidence import areas, canvas
from utilities.evidence.areas import Area, Step
from utilities.evidence.canvas import Axis


def drawn(*steps):
    """The rectangles of these steps between 0 and 100 seconds."""
    root = canvas.blank("t")
    areas.draw(root, Axis(0, 100), 0, [Area("#f00", steps)], 10)
    (group,) = (group for group in parsed(canvas.finished(root, 200)).iter(f"{SVG}g") if group.get("fill") == "#f00")
    return list(group.iter(f"{SVG}rect"))


def test_a_step_is_as_wide_as_its_time():
    first, second = drawn(Step(0, 10, 1), Step(10, 40, 2))
    assert percent(second, "width") / percent(first, "width") == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("start", [0, 50, 100])
def test_a_peak_of_a_moment_is_seen(start):
    (peak,) = drawn(Step(start, start, 10))
    assert percent(peak, "width") >= 0.1
    assert percent(peak, "x") + percent(peak, "width") <= 100
