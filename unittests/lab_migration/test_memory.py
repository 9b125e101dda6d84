"""Pre-copy as arithmetic, and the size that a migration's time limit is computed from."""

import math

import pytest

from lab.copying.memory import Copy, Load
from lab.kubevirt.migration.memory import data_size

MI = 2**20


def test_the_first_iteration_sends_all_memory_and_the_next_what_was_dirtied():
    copy = Copy(2048 * MI, at=0.0, size=2048 * MI)
    load = Load(rate=40 * MI, working_set=256 * MI)
    assert copy.ends_at(512 * MI) == 4.0
    done = copy.advanced(4.0, 512 * MI, load)
    assert (done.rest, done.dirty) == (0, 160 * MI)
    following = done.following()
    assert (following.iteration, following.size, following.ends_at(512 * MI)) == (2, 160 * MI, 4.3125)


def test_no_more_than_the_working_set_gets_dirty():
    copy = Copy(2048 * MI, at=0.0, size=2048 * MI)
    assert copy.advanced(100.0, 10 * MI, Load(rate=40 * MI, working_set=256 * MI)).dirty == 256 * MI


def test_nothing_flows_without_bandwidth():
    copy = Copy(2048 * MI, at=0.0, size=2048 * MI)
    assert copy.ends_at(0) == math.inf
    assert copy.advanced(10.0, 0, Load()).rest == 2048 * MI


def test_what_is_dirtied_in_the_unsent_rest_is_not_pending_twice():
    load = Load(rate=100 * MI, working_set=2048 * MI)
    half = Copy(2048 * MI, at=0.0, size=2048 * MI).advanced(4.0, 256 * MI, load)
    assert half.rest == 1024 * MI
    assert half.dirty == 400 * MI
    assert half.pending(load) == 1024 * MI + 200 * MI  # half of what was dirtied lies in the part already sent


@pytest.mark.parametrize(
    ("guest", "units"), [("2Gi", 3), ("4Gi", 5), ("1G", 1), ("1000M", 1), ("1001M", 2), ("512Mi", 1)]
)
def test_size_counts_in_decimal_gigabytes_rounded_up(guest, units):
    assert data_size({"spec": {"domain": {"memory": {"guest": guest}}}}) == units


def test_size_falls_back_to_the_memory_request():
    assert data_size({"spec": {"domain": {"resources": {"requests": {"memory": "3Gi"}}}}}) == 4


def test_block_migration_adds_the_ephemeral_disks():
    vmi = {
        "spec": {"domain": {"memory": {"guest": "1G"}}, "volumes": [{"name": "root", "containerDisk": {"image": "x"}}]},
        "status": {"migrationMethod": "BlockMigration"},
    }
    assert data_size(vmi) == 2
    assert data_size({**vmi, "status": {"migrationMethod": "LiveMigration"}}) == 1
