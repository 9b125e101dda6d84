"""What a lab is made of, by its profile and by what is left out."""

import stat

import pytest

from lab.apiserver.builtin.kinds import DEPLOYMENT, POD
from lab.choice import Choice, ChoiceError
from lab.cluster import Cluster
from lab.hypervisor_operator.deployment import DEPLOYMENT_NAME, NAMESPACE
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from lab.profiles import load

from .composed import composed, shape

OPERATOR = "hypervisor-operator"


def pods(lab):
    return lab.api.list(POD, NAMESPACE)


def test_the_default_has_all_systems(tmp_path):
    with composed(tmp_path) as lab:
        assert lab.site["product"]["installed_by"] == "hco"
        assert lab.site["gpu"]["profile"]["name"] == "T4-2Q"
        assert lab.site["openstack"] == {
            "clouds": str(tmp_path / "clouds.yaml"),
            "cloud": "lab",
            "config_drive": True,
            "journal": f"{lab.cluster.openstack.front.url}/lab/journal",
        }
        assert lab.site["hypervisor_operator"] == {
            "namespace": NAMESPACE,
            "deployment": DEPLOYMENT_NAME,
            "external": False,
            "eviction_concurrency": 1,
            "trait_concurrency": {},
        }
        assert f"openstack: {lab.cluster.openstack.front.auth_url}" in lab.ready.tells


def test_credentials_are_for_their_owner_only(tmp_path):
    with composed(tmp_path):
        for name in ("clouds.yaml", "admin.kubeconfig", "tester.kubeconfig"):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@pytest.mark.parametrize("profile", ["vgpu", "kubevirt"])
def test_a_profile_without_a_cloud_has_no_operator(tmp_path, profile):
    with composed(tmp_path, load(profile)) as lab:
        assert not {"openstack", "hypervisor_operator"} & lab.site.keys()
        assert lab.cluster.openstack is None
        assert lab.ready.tells == ()
        assert not (tmp_path / "clouds.yaml").exists()


def test_a_profile_without_nodes_has_no_kubevirt(tmp_path):
    with composed(tmp_path, load("drain-200")) as lab:
        assert not {"product", "gpu", "guest"} & lab.site.keys()
        assert lab.api.get(HYPERVISOR, "", "hv-source")["status"]["numInstances"] == 200


def test_hypervisors_are_what_nova_and_placement_know(tmp_path):
    with composed(tmp_path) as lab:
        found = lab.api.get(HYPERVISOR, "", "hv-5")
        host = lab.cluster.openstack.cloud.state.hosts["hv-5"]
        assert found["status"]["hypervisorId"] == host.hypervisor_id
        assert found["status"]["serviceId"] == host.service_id
        assert found["status"]["traits"] == ["COMPUTE_NODE", "CUSTOM_HANA_EXCLUSIVE_HOST", "HW_CPU_X86_VMX"]
        assert found["spec"]["customTraits"] == ["CUSTOM_HANA_EXCLUSIVE_HOST"]
        assert found["metadata"]["labels"]["topology.kubernetes.io/zone"] == "lab-a"


def test_the_operator_drains_a_hypervisor_of_the_cloud(tmp_path):
    with composed(tmp_path, shape(servers=3)) as lab:
        lab.clock.advance(60)
        (pod,) = pods(lab)
        assert pod["spec"]["containers"][0]["image"].endswith(":eviction-parallelism-fixed")
        lab.api.patch(HYPERVISOR, "", "hv-1", {"spec": {"maintenance": "manual", "maintenanceReason": "test"}})
        lab.clock.advance(600)
        evicting = next(c for c in lab.api.get(EVICTION, "", "hv-1")["status"]["conditions"] if c["type"] == "Evicting")
        assert (evicting["status"], evicting["reason"]) == ("False", "Succeeded")
        assert not [one for one in lab.cluster.openstack.cloud.state.servers() if one.host == "hv-1"]
        log = lab.cluster.front.streams.log(pod, "manager", previous=False)
        assert any("starting manager" in line.text for line in log)


def test_another_program_can_be_chosen(tmp_path):
    with composed(tmp_path, operator="main") as lab:
        deployment = lab.api.get(DEPLOYMENT, NAMESPACE, DEPLOYMENT_NAME)
        assert deployment["spec"]["template"]["spec"]["containers"][0]["image"].endswith(":main")


def test_flags_of_a_profile_are_in_the_site_file(tmp_path):
    arguments = ("--eviction-concurrency=4", "--eviction-trait-concurrency=CUSTOM_HANA_EXCLUSIVE_HOST=1,CUSTOM_X=2")
    with composed(tmp_path, shape(arguments=arguments)) as lab:
        section = lab.site["hypervisor_operator"]
        assert section["eviction_concurrency"] == 4
        assert section["trait_concurrency"] == {"CUSTOM_HANA_EXCLUSIVE_HOST": 1, "CUSTOM_X": 2}


def test_an_operator_that_is_left_out_finds_everything(tmp_path):
    with composed(tmp_path, without=frozenset({OPERATOR})) as lab:
        lab.clock.advance(60)
        assert pods(lab) == []
        assert lab.api.find(DEPLOYMENT, NAMESPACE, DEPLOYMENT_NAME) is None
        assert len(lab.api.list(HYPERVISOR)) == 8
        assert lab.site["hypervisor_operator"] == {"namespace": NAMESPACE, "deployment": None, "external": True}
        told = "\n".join(lab.ready.tells)
        assert f"export KUBECONFIG={tmp_path}/admin.kubeconfig" in told
        assert f"export OS_AUTH_URL={lab.cluster.openstack.front.auth_url}" in told
        assert "export OS_PASSWORD=" in told
        assert "hv-1, hv-2, hv-3" in told
        assert "--agent-namespaces=lab" in told


@pytest.mark.parametrize(
    ("profile", "choice", "expected"),
    [
        ("full", {"without": frozenset({"nova"})}, "unknown system 'nova'; .*: hypervisor-operator"),
        ("vgpu", {"without": frozenset({OPERATOR})}, "lab profile 'vgpu' has no hypervisor-operator; choose another"),
        ("full", {"operator": "mane"}, "unknown hypervisor operator 'mane'; known programs: latest, main, "),
        (
            "full",
            {"without": frozenset({OPERATOR}), "externals": {OPERATOR: "/bin/true"}},
            "hypervisor-operator cannot be left out and run",
        ),
    ],
)
def test_a_choice_that_cannot_be_is_refused(profile, choice, expected):
    with pytest.raises(ChoiceError, match=expected):
        Cluster(Choice(load(profile), **choice))


def test_flags_with_which_no_operator_stays_up_are_refused():
    with pytest.raises(ChoiceError, match=r"full\.yaml: hypervisor_operator\.arguments: .*must be >= 1"):
        Cluster(Choice(shape(arguments=("--eviction-concurrency=0",))))
