"""No secret leaves by a log record, a report of pytest or a result of Allure."""

import logging

import pytest

from utilities.evidence.redaction import BLOT
from utilities.plugin.secrecy import clean

pytest_plugins = ("pytester",)

SECRET = "hunter22hunter22"
SUITE = """
import logging
import os


def hidden():
    return os.environ["HIDDEN"]


def test_log():
    logging.getLogger("kubernetes").warning("response body: %s", {"userData": f"#cloud-config {hidden()}"})
    print(f"Authorization: Bearer {hidden()}")
    raise ValueError(f"it said password: {hidden()} to token={hidden()!r}")


def test_logged_error():
    try:
        raise ValueError(f"password: {hidden()}")
    except ValueError:
        logging.getLogger("a").exception("with its traceback")
    assert {"password": hidden()} == {}


def test_key_over_several_lines():
    assert f"-----BEGIN PRIVATE KEY-----\\n{hidden()}\\n-----END PRIVATE KEY-----" == "a", hidden
"""


@pytest.fixture
def ran(pytester, monkeypatch):
    """A run whose tests fail with secrets in all they say; its Allure results are in `allure`."""
    monkeypatch.setenv("HIDDEN", SECRET)
    pytester.makeconftest("from utilities.plugin.secrecy import install as pytest_configure")
    pytester.makepyfile(SUITE)
    return pytester.runpytest_inprocess("--alluredir=allure", "-p", "no:cacheprovider")


def test_the_terminal_shows_no_secret(ran):
    ran.assert_outcomes(failed=3)
    assert ran.stdout.str().count(BLOT) >= 6
    assert SECRET not in ran.stdout.str()
    assert SECRET not in ran.stderr.str()


def test_allure_gets_no_secret(ran, pytester):
    files = [file.read_text() for file in (pytester.path / "allure").iterdir()]
    assert sum(BLOT in text or "\\u00abremoved" in text for text in files) >= 4
    assert not any(SECRET in text for text in files)


def test_records_are_made_as_usual_again_after_the_run(ran):
    assert logging.getLogRecordFactory() is logging.LogRecord


def test_a_record_that_does_not_fit_is_left_to_its_handler(monkeypatch):
    from utilities.plugin.secrecy import _clean_records

    record = _clean_records(logging.LogRecord)("a", logging.INFO, "f", 1, "%s %s", ("one",), None)
    assert (record.msg, record.args) == ("%s %s", ("one",))


def test_plain_values_pass():
    assert clean({"a": 1}) == {"a": 1}
    assert clean((1, None, "token: abc", ["a", "b"])) == (1, None, f"token: {BLOT}", ["a", "b"])
