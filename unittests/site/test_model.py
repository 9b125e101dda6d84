"""Facts a site answers by itself: time, gates, shapes, profiles."""

import pytest

from utilities.errors import Blocked
from utilities.site import GPU_PROFILES, SHAPES, Gpu, KubernetesSite, Site, gate_name


@pytest.fixture
def site(tmp_path):
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.touch()

    def scaled(time_scale: float) -> Site:
        return Site(
            name="x",
            kind="lab",
            time_scale=time_scale,
            kubernetes=KubernetesSite(kubeconfig=kubeconfig),
            gpu=Gpu.model_validate({"profile": "T4-2Q"}),
        )

    return scaled


def test_product_seconds_are_wall_seconds_on_a_real_cluster(site):
    assert site(1).wall(3) == 3


def test_a_scaled_deadline_is_shorter_but_never_tight(site):
    assert site(100).wall(1200) == 24
    assert site(100).wall(30) == 10


@pytest.mark.parametrize("version", ["v1.9.0", "1.9.0-94.g1234", "v1.10.0-dev", "2.0.1"])
def test_gate_of_a_version(version):
    assert gate_name(version) == "VGPULiveMigration"


@pytest.mark.parametrize("version", ["v1.8.4", "0.58.1"])
def test_a_version_without_the_gate_blocks(version):
    with pytest.raises(Blocked, match=rf"{version} has no feature gate .* came with 1\.9"):
        gate_name(version)


def test_an_unreadable_version_blocks():
    with pytest.raises(Blocked, match="'latest' is not a KubeVirt version"):
        gate_name("latest")


def test_gates_of_hco_in_both_shapes():
    as_map = {"spec": {"featureGates": {"disableMDevConfiguration": True}}}
    as_list = {"spec": {"featureGates": [{"name": "disableMDevConfiguration"}, {"name": "x", "state": "Disabled"}]}}

    assert SHAPES["v1beta1"].gates(as_map) == {"disableMDevConfiguration": True}
    assert SHAPES["v1"].gates(as_list) == {"disableMDevConfiguration": True, "x": False}
    assert SHAPES["v1"].gates({"spec": {}}) == SHAPES["v1beta1"].gates({}) == {}


def test_a_gate_patch_keeps_the_other_gates():
    as_list = {"spec": {"featureGates": [{"name": "a"}, {"name": "b", "state": "Disabled"}]}}

    assert SHAPES["v1beta1"].gates_patch({}, "b", enabled=True) == {"spec": {"featureGates": {"b": True}}}
    assert SHAPES["v1"].gates_patch(as_list, "b", enabled=True) == {
        "spec": {"featureGates": [{"name": "a", "state": "Enabled"}, {"name": "b", "state": "Enabled"}]}
    }


def test_paths_make_merge_patches():
    shape = SHAPES["v1"]

    assert shape.patch(shape.live_migration, {"allowPostCopy": True}) == {
        "spec": {"virtualization": {"liveMigrationConfig": {"allowPostCopy": True}}}
    }


def test_the_catalogue_is_keyed_by_name_and_consistent():
    assert set(GPU_PROFILES) == {"T4-2Q", "T4-16Q", "T4-1B", "A2-2Q", "A2-4Q"}
    assert GPU_PROFILES["A2-4Q"].type_id == "nvidia-746"
    assert all(profile.instances_per_card * _gigabytes(name) == 16 for name, profile in GPU_PROFILES.items())


def _gigabytes(name: str) -> int:
    return int(name.split("-")[1][:-1])
