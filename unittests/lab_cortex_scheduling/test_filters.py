"""Each filter by what it reads (Cortex sheet §1.3, §8)."""

import pytest

from lab.cortex.scheduling.filters import FILTERS
from lab.cortex.scheduling.steps import StepError
from unittests.lab_cortex_scheduling.bodies import VM, flavor, request, wrap
from unittests.lab_cortex_scheduling.objects import asked, hypervisor, view

STEPS = {step.name.removeprefix("filter_"): step for step in FILTERS}
PROBE = "capacity_probe"
EXTERNAL = {"domainNamePrefixes": ["iaas-"], "ignoredDomainNames": ["iaas-own"]}


def kept(step, *hypervisors, hosts="abc", params=None, **changes):
    """Names of the hosts that stay, joined."""
    return "".join(asked(STEPS[step], request(*hosts, **changes), view(hypervisors), params).activations)


def conditions(**statuses):
    return [{"type": type_, "status": status} for type_, status in statuses.items()]


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ({}, True),
        ({"Ready": "True", "HypervisorDisabled": "False", "Terminating": "False"}, True),
        ({"Ready": "False"}, False),
        ({"Ready": "Unknown"}, False),
        ({"HypervisorDisabled": "True"}, False),
        ({"Terminating": "True"}, False),
        ({"Tainted": "True", "Onboarding": "True", "TraitsUpdated": "False", "AggregatesUpdated": "False"}, True),
    ],
)
def test_conditions_of_the_host(said, stays):
    assert kept("status_conditions", hypervisor("a", conditions=conditions(**said)), hosts="a") == "a" * stays


def test_a_host_without_a_hypervisor_has_no_state():
    assert kept("status_conditions", hypervisor("a")) == "a"


def test_a_host_without_a_zone_goes_although_the_log_says_it_stays():
    hosts = [hypervisor("a", labels={"topology.kubernetes.io/zone": "z"}), hypervisor("b")]
    assert kept("correct_az", *hosts, availability_zone="z") == "a"
    assert kept("correct_az", *hosts, availability_zone="y") == ""
    assert kept("correct_az", *hosts) == "abc"


def test_hosts_by_name():
    assert kept("host_instructions", ignore_hosts=["a", "x"]) == "bc"
    assert kept("host_instructions", force_hosts=["a", "b"], ignore_hosts=["b"]) == "a"
    assert kept("host_instructions", force_hosts=[]) == ""
    assert kept("exclude_hosts", params={"excludedHosts": ["b", "x"]}) == "ac"


@pytest.mark.parametrize(
    ("properties", "stays"),
    [
        ({"img_hv_type": "KVM"}, "ac"),
        ({"img_hv_type": "vmware"}, "c"),
        ({"hypervisor_type": "baremetal"}, "c"),
        ({"img_hv_type": "kvm", "hypervisor_type": "vmware"}, "ac"),
        ({"img_hv_type": "xen", "hypervisor_type": "vmware"}, "ac"),
        ({"img_hv_type": 1}, "ac"),
        ({}, "ac"),
    ],
)
def test_the_platform_of_the_image(properties, stays):
    image = wrap({"properties": wrap(properties)})
    assert kept("image_properties", hypervisor("a"), hosts="ac", image=image) == stays
    assert kept("image_properties", hypervisor("a"), hosts="ac", image=image, hint=PROBE) == "ac"


def test_an_image_that_tells_no_platform_is_reported():
    answered = asked(STEPS["image_properties"], request("a", hint=None), view())
    assert [(event.name, event.labels) for event in answered.events] == [
        ("image_properties_hv_type_undetermined", {"intent": "unknown"})
    ]


def machine(name, **domain):
    arch = domain.pop("arch", "x86_64")
    return hypervisor(name, domainCapabilities=domain, capabilities={"cpuArch": arch})


@pytest.mark.parametrize(
    ("wanted", "stays"),
    [
        ({}, "abcd"),
        ({"capabilities:hypervisor_type": "CH"}, "a"),
        ({"capabilities:hypervisor_type": "QEMU"}, "b"),
        ({"capabilities:hypervisor_type": "ch"}, ""),
        ({"capabilities:cpu_arch": "x86_64"}, "a"),
        ({"capabilities:cpu_arch": "x86_64", "capabilities:hypervisor_type": "QEMU"}, ""),
        ({"capabilities:other": "x"}, ""),
        ({"capabilities:hypervisor_type": "s== CH"}, "abcd"),
        ({"trait:X": "required"}, "abcd"),
    ],
)
def test_the_kind_of_hypervisor(wanted, stays):
    hosts = [machine("a", hypervisorType="ch"), machine("b", hypervisorType="kvm", arch="arm"), machine("c")]
    specs = wrap({"extra_specs": wanted})
    assert kept("capabilities", *hosts, hosts="abcd", flavor=specs) == stays


def test_an_unknown_kind_of_hypervisor_is_reported():
    answered = asked(STEPS["capabilities"], request("a"), view([machine("a", hypervisorType="xen")]))
    assert [event.labels for event in answered.events] == [{"hypervisor_type": "xen"}]


def test_traits():
    hosts = [hypervisor("a", traits=["X"]), hypervisor("b", spec={"customTraits": ["X", "CUSTOM_Y"]})]
    assert kept("has_requested_traits", *hosts, flavor=flavor(**{"trait:X": "required"})) == "ab"
    assert kept("has_requested_traits", *hosts, flavor=flavor(**{"trait:CUSTOM_Y": "forbidden"})) == "a"
    both = flavor(**{"trait:X": "required", "trait:CUSTOM_Y": "required"})
    assert kept("has_requested_traits", *hosts, flavor=both) == "b"
    assert kept("has_requested_traits", *hosts, flavor=flavor(**{"trait:X": "maybe"})) == "abc"


def test_accelerators_only_if_asked_for():
    hosts = [hypervisor("a", traits=["COMPUTE_ACCELERATORS"]), hypervisor("b")]
    assert kept("has_accelerators", *hosts, flavor=flavor(**{"accel:device_profile": "p"})) == "a"
    assert kept("has_accelerators", *hosts) == "abc"


@pytest.mark.parametrize(
    ("hints", "hint", "stays"),
    [
        ({"domain_name": ["iaas-x"]}, "live_migrate", "a"),
        ({"domain_name": "iaas-x"}, "reserve_for_committed_resource", "a"),
        ({"domain_name": ["iaas-x"]}, PROBE, "ab"),
        ({"domain_name": ["iaas-own"]}, "live_migrate", "ab"),
        ({"domain_name": ["internal"]}, "live_migrate", "ab"),
        ({}, "live_migrate", "ab"),
    ],
)
def test_external_customers(hints, hint, stays):
    hosts = [hypervisor("a", traits=["CUSTOM_EXTERNAL_CUSTOMER_EXCLUSIVE"]), hypervisor("b")]
    assert kept("external_customer", *hosts, hosts="ab", params=EXTERNAL, hints=hints, hint=hint) == stays


def group(policy, **more):
    return wrap({"policy": policy, "members": ["m", "n"], "hosts": ["a", "b"], **more})


def test_affinity_keeps_the_hosts_of_the_group():
    assert kept("instance_group_affinity", instance_group=group("affinity")) == "ab"
    assert kept("instance_group_affinity", instance_group=group("affinity", hosts=[])) == "abc"
    assert kept("instance_group_affinity", instance_group=group("soft-affinity")) == "abc"
    assert kept("instance_group_affinity", instance_group=group("affinity"), hint=PROBE) == "abc"


def running(name, *vms):
    return hypervisor(name, instances=[{"id": vm, "name": vm, "active": True} for vm in vms])


def test_anti_affinity_allows_one_member_a_host_whatever_the_rule_says():
    hosts = [running("a", "m"), running("b", "x"), running("c", "m", VM)]
    several = group("anti-affinity", _rules={"max_server_per_host": 2})
    assert kept("instance_group_anti_affinity", *hosts, hosts="abcd", instance_group=several) == "bc"
    assert kept("instance_group_anti_affinity", *hosts, instance_group=group("anti-affinity", members=[])) == "abc"
    assert kept("instance_group_anti_affinity", *hosts, instance_group=group("affinity")) == "abc"


def test_projects_that_a_host_is_for():
    hosts = [hypervisor("a", spec={"allowedProjects": ["P", "Q"]}), hypervisor("b", spec={"allowedProjects": ["Q"]})]
    assert kept("allowed_projects", *hosts) == "ac"
    assert kept("allowed_projects", *hosts, project_id="") == "abc"
    assert kept("allowed_projects", *hosts, hint=PROBE) == "abc"


def aggregate(uuid, **metadata):
    return {"name": uuid, "uuid": uuid, "metadata": metadata}


def test_projects_that_an_aggregate_is_for():
    hosts = [
        hypervisor("a", aggregates=[aggregate("1", filter_tenant_id="Q, P"), aggregate("2", other="x")]),
        hypervisor("b", aggregates=[aggregate("1", filter_tenant_id7="Q")]),
        hypervisor("c", aggregates=[aggregate("1", filter_tenant_id=" ,")]),
    ]
    assert kept("aggregate_metadata", *hosts, hosts="abcd") == "acd"
    assert kept("aggregate_metadata", *hosts, hosts="abcd", hint=PROBE) == "abcd"


def test_the_requested_destination():
    hosts = [hypervisor("a", aggregates=[aggregate("1"), aggregate("2")]), hypervisor("b", aggregates=[aggregate("1")])]

    def to(**wanted):
        return kept("requested_destination", *hosts, requested_destination=wrap(wanted))

    assert to(aggregates=["1"]) == "ab"
    assert to(aggregates=["1", "3,2"]) == "a"
    assert to(host="c") == "c"
    assert to(host="b", aggregates=["1", "2"]) == ""
    assert to(host="", aggregates=[]) == "abc"
    assert kept("requested_destination", *hosts) == "abc"
    assert kept("requested_destination", requested_destination=wrap({"host": "a"}), hint=PROBE) == "abc"


@pytest.mark.parametrize("part", ["supportedCpuModes", "supportedFeatures", "supportedDevices"])
def test_the_target_of_a_live_migration_offers_what_the_source_does(part):
    hosts = [machine("s", **{part: ["x", "y"]}), machine("a", **{part: ["y", "x", "z"]}), machine("b", **{part: ["x"]})]
    assert kept("live_migratable", *hosts, hints={"source_host": ["s"]}) == "a"
    assert kept("live_migratable", *hosts) == "abc"
    assert kept("live_migratable", *hosts, hints={"source_host": ["s"]}, hint="resize") == "abc"


def test_live_migration_needs_the_same_architecture_and_a_source_that_is_known():
    hosts = [machine("s"), machine("a", arch="arm"), machine("b")]
    assert kept("live_migratable", *hosts, hints={"source_host": ["s"]}) == "b"
    with pytest.raises(StepError, match="source host hypervisor not found"):
        kept("live_migratable", *hosts, hints={"source_host": ["gone"]})
