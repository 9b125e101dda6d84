"""The report, opened in a real browser: what a short run leaves, read from the rendered document."""

import re
from html import escape

import pytest

from unittests.browser import document, words

from .processes import run_plans

MODULE = "tests/mdev_vgpu_live_migration/test_move.py"
SCENARIOS = ("VGPU-05", "VGPU-06", "VGPU-07", "VGPU-08", "VGPU-19", "VGPU-24")
FRAME = """<!doctype html>
<iframe style="width: {width}px; height: 800px; border: 0" srcdoc="{content}"></iframe>
<script>
  const frame = document.querySelector("iframe");
  frame.onload = () => {{
    for (const each of frame.contentDocument.querySelectorAll("details")) each.open = true;
    const page = frame.contentDocument.documentElement;
    document.body.dataset.measured = `${{page.scrollWidth}} in ${{page.clientWidth}}`;
  }};
</script>
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results of one module, run while the lab breaks one thing that it does not look at twice."""
    ended = run_plans(
        tmp_path_factory.mktemp("run") / "results", "--lab-profile", "vgpu", "--lab-fault", "vgpu_lost_on_target",
        tests=(MODULE,),
    )  # fmt: skip
    assert ended.status == 1, ended.shown
    return ended.results


@pytest.fixture(scope="module")
def rendered(results):
    """The document as the browser has it."""
    return document(results / "report.html")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenarios_are_shown_with_their_verdicts(rendered, scenario):
    verdict = "failed" if scenario == "VGPU-06" else "passed"
    entry = re.search(rf'<details class="scenario" id="{scenario}"(.*?)</summary>', rendered, re.DOTALL)
    assert f'<span class="verdict {verdict}">{verdict}</span>' in entry[1]
    assert (" open" in entry[1].partition(">")[0]) == (verdict == "failed")


def test_pictures_are_part_of_the_page(rendered):
    pictures = re.findall(r"<figure>(<svg.*?</svg>)</figure>", rendered, re.DOTALL)
    assert len(pictures) >= len(SCENARIOS)
    told = words("".join(pictures[:1]))
    for part in (
        "timeline of move-",
        "gpu-t4-1",
        "gpu-t4-2",
        "Scheduling",
        "PreparingTarget",
        "PreCopy",
        "guest",
        "runs",
    ):
        assert part in told


def test_the_reader_finds_target_counts_and_reason(rendered):
    told = words(rendered)
    for part in ("embedded lab (never a release sign-off by itself)", "1 failed", "vgpu_lost_on_target", "Story since"):
        assert part in told


def test_nothing_is_fetched(rendered):
    assert not re.findall(r'(?:src|href)="(?!#)', rendered)


@pytest.mark.parametrize("width", [400, 1200])
def test_nothing_is_wider_than_the_window(results, tmp_path, width):
    """In a frame, because the browser's own window is never as narrow as a telephone."""
    page = tmp_path / "measured.html"
    page.write_text(FRAME.format(width=width, content=escape((results / "report.html").read_text())))
    needed, given = re.search(r'data-measured="(\d+) in (\d+)"', document(page)).groups()
    assert width - 20 <= int(given) <= width
    assert int(needed) <= int(given)
