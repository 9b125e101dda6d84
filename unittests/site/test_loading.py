"""Site files: what is accepted, and what the refusals say."""

from pathlib import Path
from textwrap import dedent

import pytest

from utilities.errors import SiteError
from utilities.site import load_site

WHOLE = """\
name: lab
kind: lab
time_scale: 100
kubernetes:
  kubeconfig: admin.kubeconfig
  context: null
  unprivileged:
    kubeconfig: tester.kubeconfig
    context: null
    user: tester
product:
  installed_by: hco
  namespace: openshift-cnv
  hyperconverged: kubevirt-hyperconverged
  hyperconverged_api: v1
  kubevirt: kubevirt-kubevirt-hyperconverged
  gate: MDevVGPULiveMigration
gpu:
  profile: T4-2Q
  nodes: nvidia.com/gpu.present=true
  passthrough: nvidia.com/TU104GL_Tesla_T4
guest:
  image: quay.io/containerdisks/fedora:latest
  user: fedora
  memory: 2Gi
  boot_budget: 240
timeouts:
  migration: 900
"""

SHORT = """\
name: mine
kind: cluster
kubernetes: {kubeconfig: admin.kubeconfig}
gpu: {profile: A2-4Q}
"""


@pytest.fixture
def write(tmp_path):
    for name in ("admin", "tester"):
        (tmp_path / f"{name}.kubeconfig").write_text("{}")

    def to_file(text: str) -> Path:
        file = tmp_path / "site.yaml"
        file.write_text(text)
        return file

    return to_file


def test_a_whole_file_is_read(write, tmp_path):
    site = load_site(write(WHOLE))

    assert site.name == "lab"
    assert site.kubernetes.kubeconfig == tmp_path / "admin.kubeconfig"
    assert site.kubernetes.unprivileged.user == "tester"
    assert site.gpu.profile.resource == "nvidia.com/GRID_T4_2Q"
    assert site.timeouts.migration == 900
    assert site.timeouts.unschedulable_target == 300
    assert site.product.gate_for("v1.9.0") == "MDevVGPULiveMigration"


def test_a_short_file_gets_the_usual_values(write):
    site = load_site(write(SHORT))

    assert site.time_scale == 1
    assert site.product.namespace == "openshift-cnv"
    assert site.product.hyperconverged == "kubevirt-hyperconverged"
    assert site.product.kubevirt == "kubevirt-kubevirt-hyperconverged"
    assert site.gpu.nodes == "nvidia.com/gpu.present=true"
    assert site.kubernetes.unprivileged is None


def test_plain_kubevirt_has_no_hyperconverged(write):
    site = load_site(write(SHORT + "product: {installed_by: kubevirt}\n"))

    assert (site.product.namespace, site.product.kubevirt, site.product.hyperconverged) == (
        "kubevirt",
        "kubevirt",
        None,
    )


def test_a_profile_can_be_spelled_out(write):
    inline = dedent("""\
        gpu:
          profile:
            name: L4-4Q
            card: L4
            pci_id: 10de:27b8
            resource: nvidia.com/NVIDIA_L4-4Q
            mdev_selector: NVIDIA L4-4Q
            type_id: nvidia-930
            instances_per_card: 6
            guest_name: NVIDIA L4-4Q
        """)
    site = load_site(write(SHORT.replace("gpu: {profile: A2-4Q}\n", inline)))

    assert site.gpu.profile.instances_per_card == 6
    assert site.gpu.profile.passthrough_resource is None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "  namespace: openshift-cnv",
            "  namespaces: openshift-cnv",
            "site.yaml:13: product.namespaces: unknown field",
        ),
        ("profile: T4-2Q", "profile: T4-3Q", "site.yaml:19: gpu.profile: unknown GPU profile 'T4-3Q'; known: T4-2Q,"),
        ("name: lab\n", "", "site.yaml:1: name: missing"),
        ("    user: tester\n", "", "site.yaml:7: kubernetes.unprivileged.user: missing"),
        ("gate: MDevVGPULiveMigration", "gate: VGPUMigration", "site.yaml:17: product.gate: unknown gate"),
        ("boot_budget: 240", "boot_budget: soon", "site.yaml:26: guest.boot_budget: Input should be a valid number"),
        ("migration: 900", "migration: .inf", "site.yaml:28: timeouts.migration: Input should be a finite number"),
        ("memory: 2Gi", "memory: plenty", "site.yaml:25: guest.memory: String should match pattern"),
        ("kubeconfig: admin.", "kubeconfig: other.", "site.yaml:5: kubernetes.kubeconfig: no such file: "),
        ("kind: lab", "kind: cluster", "site.yaml:1: the file: time_scale must be 1 on a real cluster"),
        ("installed_by: hco", "installed_by: kubevirt", "site.yaml:11: product: hyperconverged must name the object"),
        ("installed_by: hco", "installed_by: [hco]", "site.yaml:12: product.installed_by: Input should be 'hco' or"),
        ("kind: lab\n", "kind: lab\nkind: cluster\n", "site.yaml:3: kind: given twice"),
        ("user: fedora", "user: fedora\n  user: root", "site.yaml:25: guest.user: given twice"),
        ("context: null", "context: [", "site.yaml:8: not YAML: expected"),
        ("context: null", "context: !!python/none", "site.yaml:6: not YAML: could not determine a constructor"),
        ("name: lab", "name: \tlab\x01", "site.yaml:1: not YAML: "),
        (WHOLE, "- name: lab\n", "site.yaml:1: a site file is a mapping of fields"),
        (WHOLE, "", "site.yaml:1: a site file is a mapping of fields"),
        (WHOLE, "[a]: 1\n", "site.yaml:1: not YAML: found unhashable key"),
    ],
)
def test_a_refusal_names_file_line_and_field(write, old, new, expected):
    assert old in WHOLE
    file = write(WHOLE.replace(old, new, 1))

    with pytest.raises(SiteError) as refusal:
        load_site(file)

    assert f"{file.parent}/{expected}" in str(refusal.value)
    assert "site file" in refusal.value.next_step


def test_everything_wrong_is_named_at_once(write):
    file = write(WHOLE.replace("T4-2Q", "T4-3Q").replace("user: fedora", "usr: fedora"))

    with pytest.raises(SiteError, match=r"(?s)site.yaml:19: .*site.yaml:24: guest.usr: unknown field"):
        load_site(file)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(SiteError, match=r"cannot read the site file: .*No such file") as refusal:
        load_site(tmp_path / "none.yaml")

    assert "--site=FILE" in refusal.value.message()
