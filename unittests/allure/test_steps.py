"""Steps nest as they were made, tell what they took, and never tell a secret."""

from collections.abc import Iterator

import pytest
from allure_commons import model2, plugin_manager
from allure_pytest.listener import AllureListener

from utilities.errors import Forbidden, WaitTimeout
from utilities.evidence.redaction import BLOT
from utilities.evidence.steps import LONGEST, step


@pytest.fixture
def test(request) -> Iterator[model2.TestResult]:
    """A test that Allure is listening to."""
    listener = AllureListener(request.config)
    plugin_manager.register(listener)
    result = model2.TestResult(name="t", uuid="listened")
    listener.allure_logger.schedule_test("listened", result)
    yield result
    listener.allure_logger.drop_test("listened")
    plugin_manager.unregister(listener)


def told(shown):
    return {parameter.name: parameter.value for parameter in shown.parameters}


def refusal():
    return Forbidden("POST /x answers 403", next_step="-", code=403, message="no: you may not")


def test_steps_nest(test):
    with step("record"):
        with step("request migration"):
            pass
        with step("wait"):
            pass
    (record,) = test.steps
    assert [inner.name for inner in record.steps] == ["request migration", "wait"]
    assert {record.status, *(inner.status for inner in record.steps)} == {"passed"}
    assert record.start <= record.steps[0].start <= record.stop


def test_parameters_are_text_and_none_is_left_out(test):
    with step("start VM", vm="a", to=None, but_on="n1", kinds={"b", "a"}, taken={"n2": 8}, share=0.5, nothing=[]):
        pass
    assert told(test.steps[0]) == {
        "vm": "a", "but on": "n1", "kinds": "a, b", "taken": "n2=8", "share": "0.5", "nothing": "none",
    }  # fmt: skip


def test_what_is_known_later_is_noted_later(test):
    with step("wait") as waiting:
        waiting.note("phase", "Succeeded")
        waiting.note("nothing", None)
        waiting.took(300)
    assert told(test.steps[0]) == {"phase": "Succeeded", "product time": "300 s"}


def test_objects_tell_how_long_it_took(test):
    made = {"metadata": {"creationTimestamp": "2026-01-02T03:04:05Z"}}
    later = {**made, "status": {"phaseTransitionTimestamps": [{"phaseTransitionTimestamp": "2026-01-02T03:04:47Z"}]}}
    with step("wait") as waiting:
        waiting.took_since_creation(later)
    with step("wait") as waiting:
        waiting.took_between(later, made)
    with step("wait") as waiting:
        waiting.took_since_creation({"metadata": {}})
        waiting.took_since_creation(None)
    assert [told(each) for each in test.steps] == [{"product time": "42 s"}, {"product time": "0 s"}, {}]


@pytest.mark.parametrize(
    ("parameters", "secret"),
    [
        ({"token": "abcdefgh"}, "abcdefgh"),
        ({"spec": {"password": "hunter22"}}, "hunter22"),
        ({"header": "Authorization: Bearer abcdefgh12345678"}, "abcdefgh12345678"),
        ({"words": {"Bearer abcdefgh12345678"}}, "abcdefgh12345678"),
    ],
)
def test_no_secret_is_told(test, parameters, secret):
    with step("call", **parameters) as calling:
        for name, value in parameters.items():
            calling.note(name, value)
    values = [parameter.value for parameter in test.steps[0].parameters]
    assert all(BLOT in value and secret not in value for value in values)


def test_long_values_are_cut(test):
    with step("call", text="x" * 5000):
        pass
    assert len(told(test.steps[0])["text"]) == LONGEST


def test_a_failed_step_says_why_and_so_do_those_around_it(test):
    with pytest.raises(WaitTimeout), step("record"), step("wait"):
        raise WaitTimeout("not Succeeded", next_step="look")
    (record,) = test.steps
    assert (record.status, record.steps[0].status) == ("broken", "broken")
    assert "not Succeeded" in record.steps[0].statusDetails.message


def test_an_answer_of_the_product_is_no_failure_of_the_step(test):
    with pytest.raises(Forbidden), step("request migration", answers=(Forbidden,)):
        raise refusal()
    assert (test.steps[0].status, told(test.steps[0])) == ("passed", {"answer": "no: you may not"})


def test_an_answer_that_nobody_takes_is_a_failure_outside(test):
    with pytest.raises(Forbidden), step("record"), step("request migration", answers=(Forbidden,)):
        raise refusal()
    assert test.steps[0].status == "broken"


def test_without_allure_a_step_does_nothing():
    with step("start VM", vm="a") as starting:
        starting.note("node", "n1")
        starting.took(3)
