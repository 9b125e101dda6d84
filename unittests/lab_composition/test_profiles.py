"""Profiles by name: one may extend another, and what is wrong is one error that names file and field."""

import pytest

from lab.profiles import ProfileError, load, names


@pytest.fixture
def folder(tmp_path):
    """A folder of profiles: `base` and what a test writes."""
    (tmp_path / "base.yaml").write_text(
        "description: base\nnodes: [{name: a}, {name: b}]\nproduct: {installed_by: kubevirt, kubevirt: v1.9.1}\n"
    )
    return tmp_path


def extended(folder, text, name="child"):
    (folder / f"{name}.yaml").write_text(text)
    return load(name, folder)


@pytest.mark.parametrize("name", names())
def test_every_profile_can_be_read(name):
    assert load(name).name == name


def test_the_default_is_vgpu_with_a_cloud_around_it():
    full, vgpu = load("full"), load("vgpu")
    assert full.nodes == vgpu.nodes
    assert len(full.openstack.hosts) == 8
    assert {host.zone for host in full.openstack.hosts} == {"lab-a", "lab-b"}
    assert [host.name for host in full.openstack.hosts if "CUSTOM_HANA_EXCLUSIVE_HOST" in host.traits] == ["hv-5"]
    assert vgpu.openstack is None


def test_a_host_with_200_servers_fits_and_so_do_they_elsewhere():
    cloud = load("drain-200").openstack
    (servers,) = cloud.servers
    source, *targets = cloud.hosts
    assert (servers.count, servers.host) == (200, source.name)
    flavor = next(one for one in cloud.flavors if one.name == servers.flavor)
    for hosts in ([source], targets):
        assert sum(host.ram - 512 for host in hosts) >= 200 * flavor.ram
        assert sum(host.vcpus * host.cpu_ratio for host in hosts) >= 200 * flavor.vcpus


def test_an_extension_replaces_lists_and_joins_mappings(folder):
    child = extended(folder, "description: child\nextends: base\nnodes: [{name: c}]\nproduct: {kubevirt: v1.9.2}\n")
    assert [node.name for node in child.nodes] == ["c"]
    assert (child.product.installed_by, child.product.kubevirt) == ("kubevirt", "v1.9.2")


def test_an_extension_of_an_extension(folder):
    extended(folder, "description: child\nextends: base\nproduct: {kubevirt: v1.9.2}\n")
    grandchild = extended(folder, "description: grandchild\nextends: child\nmigration_bandwidth: 1Mi\n", "grandchild")
    assert (grandchild.product.kubevirt, len(grandchild.nodes)) == ("v1.9.2", 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("extends: base\n", r"child\.yaml: description: Field required"),
        (
            "description: x\nextends: bas\n",
            r"child\.yaml: extends: unknown lab profile 'bas'; known profiles: base, child",
        ),
        ("description: x\nextends: child\n", r"child\.yaml: extends: child extends child"),
        ("description: x\nextends: [base]\n", r"child\.yaml: extends: unknown lab profile \['base'\]"),
        ("description: x\nextends: base\nnodes: [{nam: c}]\n", r"child\.yaml: nodes\.0\.name: Field required"),
        ("description: x\nopenstack: {hosts: [{name: h, ram: 0}]}\n", r"child\.yaml: openstack\.hosts\.0\.ram: "),
        ("description: [\n", r"child\.yaml: not YAML: "),
        ("- description\n", r"child\.yaml: a profile is a mapping of fields"),
    ],
)
def test_what_is_wrong_is_named(folder, text, expected):
    with pytest.raises(ProfileError, match=expected):
        extended(folder, text)


def test_a_circle_of_two_is_told(folder):
    (folder / "other.yaml").write_text("description: x\nextends: child\n")
    with pytest.raises(ProfileError, match=r"other\.yaml: extends: child extends other extends child"):
        extended(folder, "description: x\nextends: other\n")
