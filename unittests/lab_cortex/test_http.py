"""What the external scheduler answers, to the byte (cortex sheet §2)."""

import asyncio
from email.utils import formatdate

import aiohttp
import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from lab.cortex.conf import Conf
from unittests.lab_cortex.bed import READ_ONLY, STEERING, Bed
from unittests.lab_cortex_scheduling.bodies import body, flavor

PATH = "/scheduler/nova/external"


@pytest.fixture(scope="module")
def bed():
    found = Bed()
    for name in "ab":
        found.host(name, memory=16, used=8)
    found.host("c")
    return found


def test_hosts_best_first(bed):
    bed.slot("src-0", "src", confirmed=["vm-1"])
    bed.slot("slot-b", "b")
    assert bed.ask("a", "b", weights={"a": 0.05, "b": 0.0}) == (200, b'{"hosts":["b","a"]}\n')


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_only_posts(bed, method):
    assert bed.post(b"{}", method) == (405, b"invalid request method\n")


@pytest.mark.parametrize(
    "content",
    [b"", b"no", b"[]", b'"text"', b'{"hosts": 1}', b'{"weights": {"a": "1"}}', b'{"spec": {"nova_object.data": 1}}'],
)
def test_a_body_that_cannot_be_decoded(bed, content):
    assert bed.post(content) == (400, b"failed to decode request body\n")


def test_bytes_that_are_no_text(bed):
    said = 'failed to process scheduling decision: pipeline not found or not ready: "\ufffd"\n'
    assert bed.post(b'{"pipeline": "\xff"}') == (500, said.encode())


@pytest.mark.parametrize(
    ("weights", "said"),
    [({"a": 1.0}, b"missing weight for host\n"), ({"a": 1, "b": 1, "c": 1}, b"weight assigned to unknown host\n")],
)
def test_hosts_and_weights_that_differ(bed, weights, said):
    assert bed.ask("a", "b", weights=weights) == (400, said)


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        ({"capabilities:hypervisor_type": "ironic"}, b"failed to determine hypervisor type from request data\n"),
        ({"trait:CUSTOM_HANA_EXCLUSIVE_HOST": "yes"}, b"failed to determine flavor type from request data\n"),
    ],
)
def test_a_pipeline_that_cannot_be_inferred(bed, specs, said):
    assert bed.ask("a", pipeline=None, flavor=flavor(**specs)) == (400, said)


@pytest.mark.parametrize(
    ("specs", "pipeline"),
    [
        ({}, "kvm-general-purpose-load-balancing"),
        ({"capabilities:hypervisor_type": "CH"}, "kvm-general-purpose-load-balancing"),
        ({"trait:CUSTOM_HANA_EXCLUSIVE_HOST": "forbidden"}, "kvm-general-purpose-load-balancing"),
        ({"trait:CUSTOM_HANA_EXCLUSIVE_HOST": "required"}, "kvm-hana-bin-packing"),
    ],
)
def test_the_pipeline_that_is_inferred(bed, specs, pipeline):
    before = bed.count("requests", pipeline)
    bed.ask("a", pipeline=None, flavor=flavor(**specs), options=READ_ONLY)
    assert bed.count("requests", pipeline) == before + 1


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"pipeline": "none"}, 'pipeline not found or not ready: "none"'),
        ({"pipeline": 'a "b"'}, 'pipeline not found or not ready: "a \\"b\\""'),
        (
            {"flavor": flavor(**{"capabilities:hypervisor_type": "VMware vCenter Server"})},
            'pipeline not found or not ready: "vmware-general-purpose-load-balancing"',
        ),
        (
            {"options": {"read_only": True}},
            "read-only runs must not write scheduling history: set SkipHistory=true",
        ),
        (
            {"options": {"read_only": True, "skip_history": True}},
            "read-only runs cannot create inflight reservations",
        ),
        (
            {"options": {"read_only": True, "skip_history": True, "skip_inflight": True}},
            "read-only runs must not write CR reservation allocations: set SkipCommittedResourceTracking=true",
        ),
    ],
)
def test_a_run_that_fails(bed, changes, error):
    said = f"failed to process scheduling decision: {error}\n".encode()
    assert bed.ask("a", **{"pipeline": None, **changes}) == (500, said)


def test_candidates_cannot_be_gathered_for_another_platform(bed):
    general = "kvm-general-purpose-load-balancing"
    status, said = bed.ask("a", pipeline=general, flavor=flavor(**{"capabilities:hypervisor_type": "ironic"}))
    assert status == 500
    assert said.endswith(b'cannot gather all placement candidates for hypervisor type "ironic"\n')
    spec = flavor()
    spec["nova_object.data"]["extra_specs"] = {"a": "1"}
    status, said = bed.ask("a", pipeline=general, flavor=spec)
    assert (status, said) == (
        500, b"failed to process scheduling decision: missing hypervisor_type in flavor extra specs: map[a:1]\n",
    )  # fmt: skip


def test_nobody_left_is_null(bed):
    assert bed.ask(weights={}) == (200, b'{"hosts":null}\n')


def test_only_hosts_that_were_sent(bed):
    general = "kvm-general-purpose-load-balancing"
    assert bed.hosts("b", "c", pipeline=general, options=READ_ONLY) == ["c"]
    assert bed.hosts("b", pipeline=general, options=READ_ONLY) is None
    assert bed.hosts(pipeline=general, options=READ_ONLY, weights={}) is None


def test_all_hypervisors_where_that_is_configured():
    bed = Bed(Conf(limited=False))
    bed.host("a")
    bed.host("b")
    assert sorted(bed.hosts("b", pipeline="kvm-general-purpose-load-balancing")) == ["a", "b"]


def test_the_first_hosts_of_an_evacuation_are_shuffled():
    bed = Bed(Conf(shuffled=2))
    weights = {"a": 3.0, "b": 2.0, "c": 1.0}
    orders = {tuple(bed.hosts("a", "b", "c", weights=weights, hint="evacuate", options=READ_ONLY)) for _ in range(30)}
    assert orders == {("a", "b", "c"), ("b", "a", "c")}
    assert bed.hosts("a", "b", "c", weights=weights) == ["a", "b", "c"]


def test_equal_hosts_come_in_any_order(bed):
    orders = {tuple(bed.hosts("a", "b", options=READ_ONLY, hint="resize")) for _ in range(30)}
    assert orders == {("a", "b"), ("b", "a")}


def test_unknown_fields(bed):
    document = orjson.dumps({**body("a", pipeline=STEERING), "rebuild": False})
    assert bed.post(document + b"\n") == (200, b'{"hosts":["a"]}\n')


def test_what_follows_the_document(bed):
    """Cortex decodes twice: the first time it stops behind the document, the second time it minds the rest."""
    document = orjson.dumps(body("a", pipeline=STEERING))
    said = b"failed to process scheduling decision: invalid character 't' after top-level value\n"
    assert bed.post(document + b" trailing") == (500, said)


def test_other_paths(bed):
    assert bed.post(b"{}", path="/scheduler/cinder/external") == (404, b"404 page not found\n")


def test_durations_by_outcome(bed):
    bed.post(b"", "GET")
    bed.ask("a", pipeline="none")
    seen = {values: sum(observed.counts) for values, observed in bed.metrics.api_duration.values.items()}
    assert seen["GET", PATH, "405", "invalid request method"] >= 1
    assert seen["POST", PATH, "200", "Success"] >= 1
    said = 'failed to process scheduling decision: pipeline not found or not ready: "none"'
    assert seen["POST", PATH, "500", said] >= 1


def test_the_same_bytes_over_sockets(bed):
    async def asked():
        front = bed.cortex.front
        await front.start()
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60)) as session:
                document = body("a", pipeline=STEERING, options=READ_ONLY)
                async with session.post(f"{front.url}{PATH}", json=document) as reply:
                    good = (reply.status, reply.headers["Content-Type"], await reply.read())
                    assert reply.headers["Date"] == formatdate(bed.clock.now(), usegmt=True)
                async with session.get(f"{front.url}{PATH}") as reply:
                    bad = (reply.status, reply.headers["Content-Type"], await reply.read())
                async with session.get(front.metrics_url) as reply:
                    text = await reply.text()
                healthy = []
                for path in ("healthz", "readyz", "metrics"):
                    async with session.get(f"{front.health_url}/{path}") as reply:
                        healthy.append((reply.status, await reply.text()))
                async with session.get(f"{front.url}/metrics") as reply:
                    elsewhere = reply.status
                return good, bad, text, healthy, elsewhere
        finally:
            await front.stop()

    good, bad, text, healthy, elsewhere = asyncio.run(asked())
    assert good == (200, "application/json", b'{"hosts":["a"]}\n')
    assert bad == (405, "text/plain; charset=utf-8", b"invalid request method\n")
    assert healthy == [(200, "ok"), (200, "ok"), (404, "404 page not found\n")]
    assert elsewhere == 404  # metrics are on a port of their own
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["cortex_scheduler_api_request_duration_seconds"].type == "histogram"
    assert families["cortex_reservations"].type == "gauge"
    for family in families.values():
        for sample in family.samples:
            assert sample.labels["component"] == "nova-scheduling"
