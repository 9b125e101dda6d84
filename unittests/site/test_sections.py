"""Sections of systems: which may be left out, and what a test is told that asks for one that is not there."""

import pytest

from utilities.errors import Blocked, SiteError
from utilities.site import load_site

CLOUD = "openstack: {clouds: clouds.yaml, cloud: qa}\n"
OPERATOR = "hypervisor_operator: {namespace: operator-system, deployment: operator}\n"
CORTEX = "cortex: {url: 'http://cortex:8080'}\n"


@pytest.fixture
def read(tmp_path):
    """Reads a site file that ends with the given text."""
    (tmp_path / "admin.kubeconfig").write_text("{}")
    (tmp_path / "clouds.yaml").write_text("clouds: {qa: {auth: {password: hush}}, demo: {}}")
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "broken.yaml").write_text("password: [hush")

    def load(text: str, kind: str = "cluster"):
        file = tmp_path / "site.yaml"
        file.write_text(f"name: mine\nkind: {kind}\nkubernetes: {{kubeconfig: admin.kubeconfig}}\n{text}")
        return load_site(file)

    return load


@pytest.mark.parametrize("section", [CLOUD, OPERATOR, CORTEX])
def test_a_site_with_another_system_needs_no_kubevirt(read, section):
    site = read(section)
    for name in ("product", "gpu"):
        with pytest.raises(Blocked, match=f"site mine has no {name}") as refusal:
            getattr(site, name)
        assert f"section {name}" in refusal.value.next_step


def test_a_cloud_beside_gpus_leaves_the_usual_product(read):
    site = read(CLOUD + "gpu: {profile: T4-2Q}\n")
    assert site.product.namespace == "openshift-cnv"
    assert site.gpu.profile.name == "T4-2Q"
    assert site.openstack.cloud == "qa"


def test_kubevirt_without_gpus_says_so(read):
    site = read("gpu: null\n")
    assert site.product.namespace == "openshift-cnv"
    with pytest.raises(Blocked, match="has no gpu"):
        _ = site.gpu


@pytest.mark.parametrize("name", ["openstack", "hypervisor_operator", "cortex"])
def test_what_a_site_does_not_have_blocks(read, name):
    with pytest.raises(Blocked, match=f"site mine has no {name}"):
        getattr(read("gpu: {profile: T4-2Q}\n"), name)


def test_a_cloud_with_its_usual_values(read, tmp_path):
    cloud = read(CLOUD).openstack
    assert (cloud.clouds, cloud.request_timeout, cloud.journal) == (tmp_path / "clouds.yaml", 60, None)


def test_flags_of_an_operator_change_with_its_deployment_only(read):
    limits = "eviction_concurrency: 5, trait_concurrency: {CUSTOM_X: 2}"
    operator = read(f"hypervisor_operator: {{namespace: o, deployment: d, {limits}}}\n").hypervisor_operator
    assert operator.flags_changeable
    assert (operator.eviction_concurrency, operator.trait_concurrency) == (5, {"CUSTOM_X": 2})
    assert not read("hypervisor_operator: {namespace: o}\n").hypervisor_operator.flags_changeable
    outside = read("hypervisor_operator: {namespace: o, deployment: d, external: true}\n")
    assert not outside.hypervisor_operator.flags_changeable


def test_cortex_with_its_usual_values(read):
    cortex = read(CORTEX).cortex
    assert (cortex.url, cortex.metrics, cortex.revision) == ("http://cortex:8080", None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("timeouts: {}\n", "site.yaml:1: gpu: missing"),
        ("openstack: {cloud: qa}\n", "site.yaml:4: openstack.clouds: missing"),
        ("openstack: {clouds: none.yaml, cloud: qa}\n", "site.yaml:4: openstack.clouds: no such file: "),
        ("openstack: {clouds: clouds.yaml, cloud: prod}\n", "openstack: no cloud 'prod' in .*; it has: qa, demo"),
        ("openstack: {clouds: empty.yaml, cloud: qa}\n", "openstack: .*empty.yaml is not a clouds.yaml: it has no"),
        ("openstack: {clouds: broken.yaml, cloud: qa}\n", "openstack: .*broken.yaml is not a clouds.yaml: it cannot"),
        ("openstack: {clouds: clouds.yaml, cloud: qa, jurnal: x}\n", "openstack.jurnal: unknown field"),
        ("openstack: {clouds: clouds.yaml, cloud: qa, journal: x}\n", "openstack.journal: String should match"),
        ("openstack: {clouds: clouds.yaml, cloud: qa, journal: 'http://x'}\n", "openstack.journal: only a lab has one"),
        ("hypervisor_operator: {deployment: d}\n", "hypervisor_operator.namespace: missing"),
        (
            "hypervisor_operator: {namespace: o, eviction_concurrency: 0}\n",
            "hypervisor_operator.eviction_concurrency: Input should be greater than 0",
        ),
        (
            "hypervisor_operator: {namespace: o, trait_concurrency: {custom: 1}}\n",
            "hypervisor_operator.trait_concurrency.custom.*: String should match",
        ),
        ("cortex: {url: cortex}\n", "cortex.url: String should match"),
        ("cortex: {url: 'http://cortex', revision: R9}\n", "cortex.revision: Input should be 'R2' or 'R3'"),
    ],
)
def test_a_refusal_names_the_field(read, text, expected):
    with pytest.raises(SiteError, match=expected) as refusal:
        read(text)
    assert "hush" not in refusal.value.message()
