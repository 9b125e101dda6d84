"""A real browser, without a window: what a page has become once its scripts have run, as text and as a picture."""

import shutil
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
_BUDGET = 10_000  # milliseconds of the page's own time
_PATIENCE = 120  # wall seconds


def document(page: Path, fragment: str = "") -> str:
    """The document as HTML, after its scripts have run."""
    return _run(page, fragment, "--dump-dom")


def picture(page: Path, target: Path, fragment: str = "", size: tuple[int, int] = (1400, 1000)) -> None:
    """A PNG of what is seen in a window of that size."""
    _run(page, fragment, f"--screenshot={target}", f"--window-size={size[0]},{size[1]}")


def _run(page: Path, fragment: str, *wanted: str) -> str:
    browser = shutil.which("chromium")
    if browser is None:
        pytest.fail("chromium is not on the path: install it (Debian: chromium), pages are looked at in a real browser")
    address = page.resolve().as_uri() + (f"#{fragment}" if fragment else "")
    with tempfile.TemporaryDirectory(prefix="chromium-") as profile:
        command = [browser, *_FLAGS, f"--user-data-dir={profile}", f"--virtual-time-budget={_BUDGET}", *wanted, address]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def words(html: str) -> str:
    """What stands in a document for a reader: no markup, no scripts, single blanks."""
    reader = _Reader()
    reader.feed(html)
    return " ".join(" ".join(reader.found).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data)
