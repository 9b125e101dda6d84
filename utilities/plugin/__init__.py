"""The pytest plugin: options, marks, the match of plans and tests, verdicts and the report."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from utilities.errors import Blocked, NotEnoughEvidence, SuiteError, TurnLost
from utilities.plugin.distribution import CHOSEN, LEFT, NOTHING, PLANNED, REFUSED, TAKEN_BACK, is_worker, tell, told
from utilities.plugin.options import add_marks, add_options, read_numbers, runs_plans
from utilities.plugin.verdicts import TestResult, Verdict

pytest_plugins = (
    "utilities.plugin.attaching",
    "utilities.plugin.distribution",
    "utilities.plugin.fixtures",
    "utilities.plugin.selection",
    "utilities.plugin.turns",
)
_WRONG_INPUT = 2  # exit status when input or site are wrong


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the suite."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Read the plans and check the site before anything is collected; wrong input ends the run with status 2."""
    add_marks(config)
    if not runs_plans(config) or config.option.help:
        return
    from utilities.evidence.fixtures import watch_fixtures
    from utilities.evidence.redaction import redact_text
    from utilities.evidence.sink import Sink
    from utilities.plugin.collection import check, plans_below
    from utilities.plugin.facts import of_suite
    from utilities.plugin.run import RUN, Run, make_folders
    from utilities.plugin.secrecy import install
    from utilities.plugin.shards import Shard
    from utilities.plugin.sites import SITE, OpenSite

    install(config)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a cancelled run puts back what it changed, as on Ctrl-C
    results = _results(config)
    allure = Path(config.option.allure_report_dir or results / "allure").absolute()
    try:
        read_numbers(config.option)
        plans = plans_below(config.rootpath / "stps")
        part = str(Shard.parse(config.option.shard)) if config.option.shard is not None else None
        if not is_worker(config):
            check([], plans, config.rootpath)
            if not config.option.collectonly:
                make_folders(results, allure)
                _check_site(config)
    except SuiteError as error:
        pytest.exit(redact_text(error.message()), returncode=_WRONG_INPUT)
    suite = {} if is_worker(config) or config.option.collectonly else of_suite(config.rootpath, plans)
    if part is not None:
        suite["Shard"] = part
    config.stash[RUN] = Run(results, allure, plans, Sink(results), suite)
    config.stash[SITE] = OpenSite(config)
    if not config.option.collectonly:
        config.option.allure_report_dir = str(allure)
        watch_fixtures(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker where the run's results go."""
    from utilities.plugin.run import RUN

    if RUN in node.config.stash:
        from utilities.plugin.sites import share_lab

        node.workerinput["results"] = str(node.config.stash[RUN].results)
        try:
            node.workerinput.update(share_lab(node.config))
        except SuiteError as error:
            pytest.exit(error.message(), returncode=_WRONG_INPUT)


def _results(config: pytest.Config) -> Path:
    if is_worker(config):
        return Path(vars(config)["workerinput"]["results"])
    if config.option.results:
        return (config.invocation_params.dir / str(config.option.results)).resolve()
    return config.rootpath / "results" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"


def _check_site(config: pytest.Config) -> None:
    if config.option.site == "lab":
        from utilities.plugin.labprocess import check
        from utilities.plugin.sites import lab_choice

        check(lab_choice(config))
    else:
        from utilities.plugin.sites import preflight

        preflight(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Match plans and tests in both directions, and take tier and severity from the plan."""
    from utilities.plugin.run import RUN

    run = config.stash.get(RUN, None)
    if run is not None:
        from utilities.plugin.collection import check
        from utilities.plugin.labels import label
        from utilities.plugin.selection import note_chosen

        try:
            check(items, run.plans, config.rootpath)
            _keep_part(config, items)
        except SuiteError as error:
            tell(config, REFUSED, [error.message()])
            items[:] = []
            return
        note_chosen(items, config)
        label(items, run.plans, config.rootpath, dict(config.option.allure_link_pattern))
        if config.option.dry_run and not config.option.collectonly:
            from utilities.plugin.dryrun import describe

            if items:
                tell(config, PLANNED, describe(items, config).splitlines())
            items[:] = []


def _keep_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a run in parts, the tests of this one."""
    if config.option.shard is None:
        return
    from utilities.plugin.collection import Placed
    from utilities.plugin.shards import Shard

    kept = Shard.parse(config.option.shard).of([Placed(item) for item in items])
    here = {placed.item for placed in kept}
    config.hook.pytest_deselected(items=[item for item in items if item not in here])
    items[:] = [placed.item for placed in kept]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A need that the site does not meet blocks the test."""
    from utilities.plugin.run import RUN

    if RUN in item.config.stash:
        from utilities.plugin.sites import SITE

        for mark in item.iter_markers("needs"):
            item.config.stash[SITE].require(mark.kwargs)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Classify what happened; after teardown, put the test's result on the report (it travels from xdist workers)."""
    report = yield
    from utilities.evidence.redaction import redact_text
    from utilities.plugin.run import RUN, note_phase, result_of
    from utilities.plugin.sites import SITE

    run = item.config.stash.get(RUN, None)
    if run is None:
        return report
    verdict, reason = _classify(call)
    lost = call.excinfo is not None and isinstance(call.excinfo.value, TurnLost)
    note_phase(item, verdict, redact_text(reason), call.duration, voids=lost)
    if verdict is Verdict.BLOCKED:
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"blocked: {reason}")
    if call.when == "teardown":
        from utilities.plugin.collection import scenarios_of

        report.__dict__["plan_result"] = result_of(item, scenarios_of(item), run).to_json()
        report.__dict__["plan_site"] = item.config.stash[SITE].observed
    return report


def _classify(call: pytest.CallInfo[None]) -> tuple[Verdict, str]:
    if call.excinfo is None:
        return Verdict.PASSED, ""
    error = call.excinfo.value
    reason = f"{type(error).__name__}: {error}" if not isinstance(error, AssertionError) else str(error)
    if isinstance(error, Blocked):
        return Verdict.BLOCKED, str(error)
    if isinstance(error, NotEnoughEvidence):
        return Verdict.INCONCLUSIVE, reason
    if isinstance(error, AssertionError | pytest.fail.Exception):  # the latter: what should have been refused was not
        return Verdict.FAILED, reason
    return Verdict.BROKEN, reason


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Show a blocked test as blocked, not as skipped."""
    if report.skipped and isinstance(report.longrepr, tuple) and str(report.longrepr[2]).startswith("blocked: "):
        return "blocked", "B", "BLOCKED"
    return None


class _Gathering:
    """Gathers results where the run ends: in the only process, or in xdist's controller."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: Any) -> None:
        from utilities.plugin.run import RUN

        result = getattr(report, "plan_result", None)
        if result is not None:
            run, site = self._config.stash[RUN], getattr(report, "plan_site", {})
            run.tests.append(TestResult.from_json(result))
            if site not in run.observed:
                run.observed.append(site)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Begin to gather results."""
    from utilities.plugin.run import RUN

    if RUN in session.config.stash and not is_worker(session.config):
        session.config.pluginmanager.register(_Gathering(session.config), "plan-results")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the report; a run with a blocked or inconclusive test, or with leftovers, does not end with status 0."""
    from utilities.plugin.run import RUN

    config = session.config
    run = config.stash.get(RUN, None)
    if run is None:
        return
    from utilities.plugin.neighbours import forget_hypothesis
    from utilities.plugin.sites import SITE, target

    forget_hypothesis(config)
    opened = config.stash[SITE]
    opened.close()
    tell(config, LEFT, opened.leftovers)
    tell(config, TAKEN_BACK, opened.taken_back)
    if told(config, REFUSED):
        session.exitstatus = _WRONG_INPUT
    elif told(config, PLANNED) and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
    elif run.tests and not is_worker(config):
        run.write(target(config), told(config, LEFT))
        bad = told(config, LEFT) or any(test.verdict is not Verdict.PASSED for test in run.tests)
        if exitstatus == pytest.ExitCode.OK and bad:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """End with the table of scenarios, what is left on the site, and the paths of results and report."""
    from utilities.plugin.run import RUN

    for line in told(config, PLANNED):
        terminalreporter.write_line(line)
    for line in told(config, TAKEN_BACK):
        terminalreporter.write_line(line, yellow=True)
    for refusal in told(config, REFUSED):
        terminalreporter.write_line(f"Exit: {refusal}", red=True)
    for line in told(config, NOTHING):
        terminalreporter.write_line(line, yellow=True)
    run = config.stash.get(RUN, None)
    if run is None or not run.tests:
        return
    from utilities.plugin.summary import rows

    terminalreporter.section("test plans")
    for line, colour in rows(run.scenarios(), told(config, CHOSEN)):
        terminalreporter.write_line(line, **{colour: True})
    if left := told(config, LEFT):
        terminalreporter.write_line("Left behind on the site:", red=True)
        for line in left:
            terminalreporter.write_line(f"  {line}", red=True)
    terminalreporter.write_line(f"Allure results: {run.allure}")
    terminalreporter.write_line(f"Verdicts:       {run.verdicts}")
    terminalreporter.write_line(f"Report:         {run.report}")
