"""What heads the results: the target, the versions, the suite's and the plans' revisions."""

import hashlib
import shutil
import subprocess

import pytest

from utilities.plugin import facts
from utilities.stp import load_plan


@pytest.fixture
def root(tmp_path):
    """A folder with one plan."""
    (tmp_path / "stps").mkdir()
    (tmp_path / "stps/plan.md").write_bytes(b"\xef\xbb\xbf# Software Test plan\r\n")
    return tmp_path


def git(root, *arguments):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def test_a_plan_is_known_by_its_exact_bytes(root):
    told = facts.of_suite(root, [load_plan(root / "stps/plan.md")])
    expected = hashlib.sha256((root / "stps/plan.md").read_bytes()).hexdigest()
    assert told["Plan stps/plan.md"] == f"sha256:{expected}"


def test_outside_a_repository_the_revision_is_unknown(root):
    assert facts.of_suite(root, [])["Suite revision"] == "unknown"


def test_an_image_tells_the_revision_it_was_built_from(root):
    (root / "REVISION").write_text("0123abc\n")
    assert facts.of_suite(root, [])["Suite revision"] == "0123abc"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on the path")
def test_the_revision_tells_whether_files_differ_from_it(root):
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "x")
    commit = git(root, "rev-parse", "HEAD").strip()
    assert facts.of_suite(root, [])["Suite revision"] == commit
    (root / "stps/plan.md").write_text("changed")
    assert facts.of_suite(root, [])["Suite revision"] == f"{commit} with changes"


def test_a_lab_says_that_it_is_one():
    told = facts.of_lab({"lab_fault": ["a", "b"], "lab_profile": "vgpu", "lab_seed": 7})
    assert "lab" in told["Target"]
    assert (told["Target kind"], told["Lab seed"], told["Lab faults"]) == ("lab", "7", "a, b")
    assert facts.of_lab({"lab_fault": [], "lab_profile": "vgpu", "lab_seed": 7})["Lab faults"] == facts.NONE


def test_workers_that_agree_tell_it_once_and_others_both():
    parts = [{"Target": "lab"}, {"KubeVirt": "v1.9.0"}, {}, {"KubeVirt": "v1.9.0"}, {"KubeVirt": "v1.9.1"}]
    assert facts.joined(parts) == {"Target": "lab", "KubeVirt": "v1.9.0 and v1.9.1"}
