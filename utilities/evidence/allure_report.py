"""The Allure results of one run, or of several, as one HTML file: `python -m utilities.evidence.allure_report DIR…`.

Made by Allure 3, which is a program for Node.js: `npm ci` installs it as locked beside this file when first needed.
The file holds everything and asks nobody for anything, so it can be opened from disk, mailed or archived.

Exit status: 0 the report is there, 2 there are no results or the report cannot be made (one message says why).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from utilities.errors import SuiteError
from utilities.evidence.allure_files import categories

PACKAGE = Path(__file__).parent / "allure-report"
NAME = "Migration test plans"
OLDEST_NODE = 20
_INSTALL_SECONDS, _GENERATE_SECONDS = 600.0, 600.0
_STAMP = ".installed"  # in node_modules: digest of the lock file it was installed from
_COUNTING = re.compile(  # how Allure counts the readers of its reports; ours are nobody's business
    r'<script async src="https://www\.googletagmanager\.com/[^"]*"></script>\s*<script>.*?</script>', re.DOTALL
)


def make_report(results: Sequence[Path], output: Path) -> Path:
    """Write `output/index.html` from folders of Allure results; returns its path. Raises SuiteError."""
    folders = [_with_results(folder) for folder in results]
    node = _tool("node")
    program = _installed(_tool("npm"), node) / "allure" / "cli.js"
    with tempfile.TemporaryDirectory(prefix="allure-report-") as scratch:
        config, page = Path(scratch) / "allurerc.json", Path(scratch) / "report"
        config.write_text(json.dumps(_configuration()), encoding="utf-8")
        command = [node, program, "generate", "--config", config, "--output", page, *folders]
        _run([str(part) for part in command], Path(scratch), _GENERATE_SECONDS, "look at the results named")
        made = page / "index.html"
        if not made.exists():
            raise SuiteError(f"Allure left no report of {folders[0]}", next_step="look at the results in it")
        output.mkdir(parents=True, exist_ok=True)
        target = output / "index.html"
        target.write_text(_COUNTING.sub("", made.read_text(encoding="utf-8")), encoding="utf-8")
        shutil.copyfile(page / "test-results.json", output / "test-results.json")
    return target


def _with_results(folder: Path) -> Path:
    """The folder, or `allure` in it, whichever holds results."""
    for candidate in (folder / "allure", folder):
        if any(candidate.glob("*-result.json")):
            return candidate.resolve()
    raise SuiteError(f"{folder}: no Allure results", next_step="name a folder that a run wrote (pytest --results DIR)")


def _configuration() -> Mapping[str, object]:
    options = {
        "singleFile": True,
        "groupBy": ["epic", "feature", "story"],
        "reportLanguage": "en",
        "stepTreeExpansion": "expanded",
    }
    return {
        "name": NAME,
        "plugins": {"awesome": {"options": options}},
        "categories": categories(),
        "appendHistory": False,
    }


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise SuiteError(
            f"{name} is not on the path, and Allure 3 needs it",
            next_step=f"install Node.js {OLDEST_NODE} or newer with npm (Debian: nodejs npm), then run again",
        )
    return path


def _installed(npm: str, node: str) -> Path:
    """`node_modules` as locked; installed unless that has been done from this lock file."""
    version = _run([node, "--version"], PACKAGE, 60.0, "repair the installation of Node.js").strip()
    major = re.match(r"v(\d+)\.", version)
    if major is None or int(major[1]) < OLDEST_NODE:
        raise SuiteError(f"{node} is {version}, Allure 3 needs {OLDEST_NODE}", next_step="install a newer Node.js")
    modules = PACKAGE / "node_modules"
    stamp, digest = modules / _STAMP, hashlib.sha256((PACKAGE / "package-lock.json").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != digest:
        flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        _run([npm, "ci", *flags], PACKAGE, _INSTALL_SECONDS, "look at npm's registry and proxy settings")
        stamp.write_text(digest, encoding="utf-8")
    return modules


def _run(command: Sequence[str], folder: Path, seconds: float, next_step: str) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise SuiteError(f"{' '.join(command[:2])} did not end in {seconds:g} s", next_step=next_step) from error
    if done.returncode:
        tail = (done.stderr.strip() or done.stdout.strip())[-800:]
        raise SuiteError(f"{' '.join(command[:2])} ended with status {done.returncode}: {tail}", next_step=next_step)
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="allure_report", description="Allure results as one HTML file.")
    parser.add_argument("results", nargs="+", type=Path, metavar="DIR", help="folder of a run, or of Allure results")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where it goes (default: DIR/allure-report)")
    chosen = parser.parse_args(arguments)
    try:
        page = make_report(chosen.results, chosen.output or chosen.results[0] / "allure-report")
    except SuiteError as error:
        print(error.message(), file=sys.stderr)
        return 2
    print(f"Allure report: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
