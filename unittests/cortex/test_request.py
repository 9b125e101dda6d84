"""The body of a request is what the lab's Cortex, which decodes as Cortex does, takes it for."""

from lab.cortex.scheduling.intents import LIVE_MIGRATION, intent_of
from lab.cortex.scheduling.request import parse
from utilities.cortex import Flavor, Request

FLAVOR = Flavor("gp.medium", 16384, 4, "gp-v1")


def request(**told):
    return Request("vm-1", "project-1", {"a": 0.5, "b": 0.0}, "steering", FLAVOR, **told)


def test_body_says_what_was_meant():
    parsed = parse(request(source="src", caller="admins", zone="az").body())
    assert (parsed.vm, parsed.project, parsed.zone, parsed.instances) == ("vm-1", "project-1", "az", 1)
    assert (parsed.hosts, parsed.weights) == (("a", "b"), {"a": 0.5, "b": 0.0})
    assert (parsed.flavor.name, parsed.flavor.memory_mb, parsed.hardware) == ("gp.medium", 16384, "gp-v1")
    assert parsed.ignore_hosts == ("src",)
    assert parsed.context.project == "admins"
    assert parsed.pipeline == "steering"


def test_requests_change_nothing_unless_told_otherwise():
    assert parse(request().body()).options.refusal == ""
    assert parse(request().body()).options.read_only
    assert not parse(request(options={}).body()).options.read_only


def test_kind_of_request_is_a_hint():
    assert intent_of(parse(request().body())) == LIVE_MIGRATION
    assert parse(request(check=None).body()).hints == {}
    assert parse(request().body()).context.project == "project-1"
