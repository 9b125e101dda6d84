"""What the Lease of a run tells about its changes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.clients import Resource
from utilities.errors import SiteError
from utilities.reversible import Entry, Restore, Target
from utilities.sharing.holders import NOTE, Holders
from utilities.sharing.kept import WITHHELD, Kept, entries_of, with_entries

LEASE = {"metadata": {"name": "migration-test-plans-run-a", "namespace": "default", "resourceVersion": "7"}}
DEPLOYMENT = Target(Resource("apps", "v1", "deployments", "Deployment"), "operator", "kvm")
WORDS = st.text("abc: ", max_size=8)


@given(st.dictionaries(WORDS, st.builds(Kept, st.builds(Entry, WORDS, st.dictionaries(WORDS, WORDS), WORDS), WORDS)))
def test_what_is_written_is_read_again(entries):
    assert entries_of(with_entries(LEASE, entries, "a", "t", 60)) == entries


def test_it_has_its_holder_where_kubernetes_has_it():
    kept = {"k": Kept(Entry("restore", {}, "Node n: as before"))}
    lease = with_entries(LEASE, kept, "a", "t1", 60)
    assert (lease["spec"]["holderIdentity"], lease["spec"]["renewTime"]) == ("a", "t1")
    claimed = with_entries(lease, kept, "b", "t2", 60)
    assert (Holders.of(claimed).exclusive, Holders.of(claimed).transitions) == ("b", 2)
    assert Holders.of(with_entries(claimed, kept, "", "t3", 60)).stamps() == {}


def test_without_entries_nothing_is_left_that_a_lease_would_be_kept_for():
    lease = with_entries(LEASE, {}, "a", "t", 60)
    assert Holders.of(lease).stamps() == {}
    assert NOTE not in lease["metadata"]["annotations"]


@pytest.mark.parametrize("text", ["no json", "[]", '{"k": 1}', '{"k": {"entry": {"kind": "x"}, "problem": ""}}'])
def test_what_is_no_journal_is_named(text):
    lease = {"metadata": {**LEASE["metadata"], "annotations": {NOTE: text}}}
    with pytest.raises(SiteError, match=f"Lease default/migration-test-plans-run-a: annotation {NOTE}"):
        entries_of(lease)


@pytest.mark.parametrize(
    "containers",
    [
        [{"name": "manager", "env": [{"name": "OS_PASSWORD", "value": "hunter2-hunter2"}]}],
        [{"name": "manager", "args": ["--token=hunter2-hunter2"]}],
    ],
)
def test_a_secret_is_not_written_down_and_the_entry_says_so(containers):
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    kept = Kept.of(Restore(DEPLOYMENT, "u", {"spec": {"template": None}}, patch).entry())
    assert kept == Kept(Entry("restore", {}, "Deployment kvm/operator"), WITHHELD)
    assert "hunter2" not in json.dumps(with_entries(LEASE, {"k": kept}, "a", "t", 60))
