"""The lab's own journal and records, judged: both tell of the same flights."""

import math

from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import LiveCloud
from utilities.history import seconds
from utilities.history.in_flight import Level, Outcome, Proof
from utilities.history.nova import STRICT, HypervisorDrain, Journal, MigrationRecord, NovaRecording

LIVE = {"os-migrateLive": {"host": None, "block_migration": False}}


def test_a_journal_of_the_lab_and_its_records_tell_the_same():
    with LiveCloud(SHAPE) as live:
        admin, started = live.client(), live.clock.now()
        servers = [live.server_id("vm-1"), live.server_id("vm-2")]
        posted = []
        for server in servers:
            live.advance(3.25)
            posted.append(live.clock.now())
            admin.act(server, LIVE)
        again = admin.act(servers[1], LIVE)
        live.advance(300)
        answer = admin.send("GET", "/lab/journal").json
        bodies = admin.nova("GET", "/os-migrations").json["migrations"]
        ended = live.clock.now()
    exact = NovaRecording.of(started=started, ended=ended, journal=Journal.of(answer))
    records = [_record(each, ended) for each in bodies]
    drain = HypervisorDrain.of(exact, "node-1")
    seen = HypervisorDrain.of(NovaRecording.of(records, started=started, ended=ended), "node-1", STRICT)

    assert again.status == 409
    assert [flight.began.latest for flight in drain.flights] == posted
    assert {flight.proven_by for flight in drain.flights} == {(Proof.POST, Proof.STATE)}
    assert drain.left == set(servers) == seen.left
    for one, other in zip(drain.flights, seen.flights, strict=True):
        assert one.outcome is other.outcome is Outcome.LEFT
        assert other.possible[0] <= one.sure[0] <= other.sure[0]
        assert other.sure[1] <= one.sure[1] <= other.possible[1]
        assert math.isfinite(other.possible[1])
    assert drain.judge(2).level is Level.WITHIN
    assert drain.judge(1).exceeded
    assert seen.judge(1).exceeded
    assert [repeat.post.status for repeat in drain.repeated_posts] == [409]


def _record(body, read):
    return MigrationRecord(
        id=body["id"],
        uuid=body["uuid"],
        server=body["instance_uuid"],
        kind=body["migration_type"],
        source=body["source_compute"],
        target=body["dest_compute"],
        status=body["status"],
        created=seconds(body["created_at"]),
        updated=seconds(body["updated_at"]),
        sent=read,
        received=read,
    )
