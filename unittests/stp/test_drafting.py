"""`stp new`: drafts lint with placeholders only, and never overwrite."""

import pytest

from utilities.stp.__main__ import main
from utilities.stp.drafting import prefix_of
from utilities.stp.linting import lint, subject_of
from utilities.stp.parsing import load_plan
from utilities.stp.signing import SignOff
from utilities.stp.vocabulary import RISK_FIELDS, STRATEGY_TYPES, Part

PLACEHOLDERS = {"placeholder-left", "signoff-placeholder", "requirement-id-tbd"}
"""What a rule says to a placeholder, wherever it stands."""


@pytest.fixture
def new(tmp_path, monkeypatch, capsys):
    """Runs `stp new` in an empty folder: (status, output, errors)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = main(["new", *arguments])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


def ids(path):
    return {finding.id for finding in lint(subject_of(load_plan(path)))}


def test_plan(new, tmp_path):
    path = tmp_path / "stps/sig-storage/disk-growth.md"

    assert new("stps/sig-storage/disk-growth.md", "--title", "Growing  disks")[0] == 0

    plan = load_plan(path)
    assert plan.title == "Growing disks"
    assert [section.part for section in plan.sections] == list(Part)
    assert plan.metadata.field("Owning SIG").value.flat == "sig-storage"
    assert [name for item in plan.strategy for name in item.types] == list(STRATEGY_TYPES)
    assert [category.name for category in plan.risks] == list(RISK_FIELDS)
    assert [(each.id, each.tier, each.priority) for each in plan.scenarios] == [("DISK-01", 2, "P0")]
    assert all(isinstance(each, SignOff) and each.open for each in plan.sign_offs)
    assert ids(path) == PLACEHOLDERS


def test_child_plan(new, tmp_path):
    new("stps/sig-virt/hotplug/stp.md", "--title", "Hotplug")
    status, out, _ = new("stps/sig-virt/hotplug/sig-network.md", "--title", "Hotplug of NICs", "--child")

    assert status == 0
    assert "- **Child STPs:** [sig-network](sig-network.md)" in out
    child = tmp_path / "stps/sig-virt/hotplug/sig-network.md"
    assert subject_of(load_plan(child)).child
    assert ids(child) == PLACEHOLDERS
    assert load_plan(child).metadata.field("SIG").value.flat == "sig-network"
    assert load_plan(child).scenarios[0].tier == 2


def test_owning_sig(new, tmp_path):
    new("a.md", "--title", "A", "--sig", "sig-x")
    new("b.md", "--title", "B")

    assert "- **Owning SIG:** sig-x\n" in (tmp_path / "a.md").read_text()
    assert "- **Owning SIG:** [sig-xyz]\n" in (tmp_path / "b.md").read_text()


def test_title_with_markup(new, tmp_path):
    title = r"vGPU_2 [beta] *fast* `x` <y> \z"

    new("a.md", "--title", title)

    assert load_plan(tmp_path / "a.md").title == title


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("there.md", "--title", "A"), "there.md: is there already"),
        (("folder", "--title", "A"), "folder: a plan is a Markdown file"),
        (("file/a.md", "--title", "A"), "file/a.md: cannot write: "),
        (("a.md", "--title", "  "), "the title is empty"),
        (("a.md", "--title", "A", "--child"), "stp.md: no parent plan"),
    ],
)
def test_refusals_leave_everything_as_it_was(new, tmp_path, arguments, message):
    (tmp_path / "there.md").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()

    status, out, err = new(*arguments)

    assert (status, out) == (2, "")
    assert err.startswith(message)
    assert {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()} == {
        "there.md": "mine",
        "file": "mine",
    }


@pytest.mark.parametrize(
    ("stem", "prefix"), [("disk-growth", "DISK"), ("4k-disks", "K"), ("stp", "STP"), ("42", "PLAN")]
)
def test_prefix(stem, prefix):
    assert prefix_of(stem) == prefix
