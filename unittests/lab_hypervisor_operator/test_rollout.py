"""The Deployment: starts, changed arguments, refusals, restarts, and what survives them."""

import asyncio
import random

import pytest

from lab.apiserver.builtin.kinds import DEPLOYMENT, POD
from lab.apiserver.errors import ApiError
from lab.apiserver.streams.providers import NoStreams
from lab.controllers.decisions import Faults
from lab.hypervisor_operator.deployment import DEPLOYMENT_NAME, NAMESPACE
from lab.hypervisor_operator.install import Choice, Host, install, install_definitions
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from lab.hypervisor_operator.logs import Log, OperatorStreams
from lab.hypervisor_operator.programs import image
from unittests.lab_hypervisor_operator.cluster import ADMIN, Cluster
from unittests.lab_hypervisor_operator.drain import OS
from unittests.lab_hypervisor_operator.nova import HYPERVISOR_ID, SERVICE_ID, SOURCE, Cloud, Direct

FIVE = [f"vm-{number}" for number in range(5)]
KEY = (NAMESPACE, DEPLOYMENT_NAME)


class Operated(Cluster):
    """A cluster with the operator in its Deployment."""

    def __init__(self, *arguments, traits=(), environment=OS, program="eviction-parallelism"):
        super().__init__(definitions=False)
        self.cloud = Cloud(self.clock)
        hosts = (Host(SOURCE, HYPERVISOR_ID, SERVICE_ID, traits),)
        install_definitions(self.api, self.definitions, hosts)
        wire = Direct(self.cloud.handle, self.clock, random.Random(3))
        choice = Choice(environment, program, arguments)
        self.rollout = install(self.api, self.runtime, wire, choice, faults=Faults(), seed=4)
        self.clock.advance(20)

    def pods(self):
        return [pod for pod in self.api.list(POD, NAMESPACE) if "deletionTimestamp" not in pod["metadata"]]

    def container(self, pod):
        (found,) = pod["status"]["containerStatuses"]
        return found

    def log(self, pod):
        """Lines of the last process of a pod, without the time."""
        streams = OperatorStreams(self.rollout.logs, NoStreams())
        return [line.text.partition("\t")[2] for line in streams.log(pod, "manager", previous=False)]

    def change(self, *arguments, tag=None):
        """Other arguments beside the chart's, or another image."""
        template = self.api.get(DEPLOYMENT, *KEY)["spec"]["template"]
        container = dict(template["spec"]["containers"][0])
        container["args"] = [word for word in container["args"] if "eviction" not in word] + list(arguments)
        container["image"] = container["image"] if tag is None else image(tag)
        body = {"spec": {"template": {"spec": {"containers": [container]}}}}
        self.api.patch(DEPLOYMENT, *KEY, body, caller=ADMIN)

    def status(self):
        return self.api.get(DEPLOYMENT, *KEY)["status"]

    def rolled_out(self):
        found = self.api.get(DEPLOYMENT, *KEY)
        status = found["status"]
        return (
            status["observedGeneration"] == found["metadata"]["generation"]
            and status.get("updatedReplicas") == status.get("availableReplicas") == status.get("replicas") == 1
        )

    def maintain(self):
        body = {"spec": {"maintenance": "manual", "maintenanceReason": "r"}}
        self.api.patch(HYPERVISOR, "", SOURCE, body, caller=ADMIN)

    def until(self, happens, within=300):
        end = self.clock.now() + within
        while not happens():
            assert self.clock.now() < end
            self.clock.advance(0.5)


def test_it_starts_as_its_chart_says():
    lab = Operated("--eviction-concurrency=2")
    (pod,) = lab.pods()
    assert pod["status"]["phase"] == "Running"
    assert lab.container(pod)["ready"]
    assert lab.rolled_out()
    assert lab.status()["conditions"][0]["status"] == "True"
    assert lab.cloud.logins == 2  # the project of the environment, and the test project
    lab.cloud.add(*FIVE)
    lab.maintain()
    lab.until(lambda: not lab.cloud.left())
    assert lab.cloud.peak() == 2


def test_changed_arguments_restart_it_and_the_new_limit_holds():
    lab = Operated("--eviction-concurrency=1")
    lab.cloud.add(*FIVE)
    (before,) = lab.pods()
    lab.change("--eviction-concurrency=3")
    lab.clock.advance(1)
    assert not lab.rolled_out()
    lab.until(lab.rolled_out)
    (after,) = lab.pods()
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    lab.clock.advance(20)  # the lease of the one before runs out
    lab.maintain()
    lab.until(lambda: not lab.cloud.left())
    assert lab.cloud.peak() == 3


def test_the_next_leader_waits_for_the_lease_of_the_one_before():
    lab = Operated()
    lab.change("--eviction-concurrency=3")
    lab.until(lambda: lab.rolled_out() and len(lab.rollout.instances) == 1)
    (instance,) = lab.rollout.instances
    assert not instance.leading
    lab.clock.advance(10)
    assert not instance.leading
    lab.clock.advance(8)
    assert instance.leading


def test_a_restart_in_the_middle_of_a_drain():
    lab = Operated("--eviction-concurrency=2")
    lab.cloud.add(*FIVE)
    lab.maintain()
    lab.until(lambda: len(lab.cloud.posts) == 2)
    (pod,) = lab.pods()
    lab.api.delete(POD, NAMESPACE, pod["metadata"]["name"], caller=ADMIN)
    lab.clock.advance(3)
    assert [found["metadata"]["name"] for found in lab.pods()] != [pod["metadata"]["name"]]
    lab.until(lambda: not lab.cloud.left())
    assert lab.cloud.peak() == 2
    assert all(lab.cloud.verbs(uuid) == ["os-migrateLive"] for uuid in FIVE)
    lab.until(lambda: lab.api.get(EVICTION, "", SOURCE)["status"]["conditions"][0]["reason"] == "Succeeded")


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("--eviction-concurrency=0", "--eviction-concurrency must be >= 1"),
        ("--eviction-trait-concurrency=CUSTOM_A=0", "invalid --eviction-trait-concurrency entry: CUSTOM_A=0"),
    ],
)
def test_refused_flags_leave_the_one_before_at_work(argument, words):
    lab = Operated("--eviction-concurrency=2", program="eviction-parallelism-fixed")
    lab.change(argument)
    lab.clock.advance(40)
    new, old = sorted(lab.pods(), key=lambda pod: lab.container(pod)["ready"])
    crashed = lab.container(new)
    assert crashed["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert crashed["lastState"]["terminated"]["exitCode"] == 1
    assert crashed["restartCount"] >= 1
    assert words in lab.log(new)[-1]
    assert lab.container(old)["ready"]
    assert not lab.rolled_out()
    lab.cloud.add("vm-0")
    lab.maintain()
    lab.until(lambda: not lab.cloud.left())
    lab.change("--eviction-concurrency=2")
    lab.until(lambda: lab.rolled_out() and len(lab.pods()) == 1)


def test_refused_at_the_very_start():
    lab = Operated("--eviction-concurrency=0")
    (pod,) = lab.pods()
    assert lab.container(pod)["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert [entry["status"] for entry in lab.status()["conditions"]] == ["False", "True"]
    lab.maintain()
    lab.clock.advance(60)
    assert lab.api.find(EVICTION, "", SOURCE) is None


def test_a_cloud_that_refuses_the_login_ends_the_process():
    lab = Operated(environment={**OS, "OS_PASSWORD": "secret"})
    lab.cloud.refuse_logins = True
    lab.change("--eviction-concurrency=2")
    lab.clock.advance(20)
    (new,) = [pod for pod in lab.pods() if not lab.container(pod)["ready"]]
    assert "unable to create controller" in lab.log(new)[-1]
    assert "but got 401 instead" in lab.log(new)[-1]
    lab.cloud.refuse_logins = False
    lab.until(lab.rolled_out)


def test_an_image_that_is_not_there():
    lab = Operated()
    lab.change(tag="no-such-branch")
    lab.clock.advance(20)
    (new,) = [pod for pod in lab.pods() if not lab.container(pod)["ready"]]
    assert lab.container(new)["state"]["waiting"]["reason"] == "ErrImagePull"


def test_the_main_branch_refuses_the_flags_of_the_proposal():
    lab = Operated("--eviction-concurrency=2", program="main")
    (pod,) = lab.pods()
    assert lab.container(pod)["lastState"]["terminated"]["exitCode"] == 2
    assert lab.log(pod)[-1].startswith("flag provided but not defined: -eviction-concurrency")


def test_scaled_to_nothing_it_does_nothing():
    lab = Operated()
    lab.api.patch(DEPLOYMENT, *KEY, {"spec": {"replicas": 0}}, caller=ADMIN)
    lab.clock.advance(20)
    assert lab.pods() == []
    lab.maintain()
    lab.clock.advance(60)
    assert lab.api.find(EVICTION, "", SOURCE) is None
    with pytest.raises(ApiError, match="one replica"):
        lab.api.patch(DEPLOYMENT, *KEY, {"spec": {"replicas": 2}}, caller=ADMIN)


def test_logs_of_a_pod():
    lab = Operated()
    (pod,) = lab.pods()
    streams = OperatorStreams(lab.rollout.logs, NoStreams())
    (line,) = [entry for entry in streams.log(pod, "manager", previous=False) if "starting manager" in entry.text]
    assert line.text.startswith("2026-01-01T00:00:")
    assert line.text.endswith("Z\tINFO\tsetup\tstarting manager")
    with pytest.raises(ApiError, match='previous terminated container "manager"'):
        streams.log(pod, "manager", previous=True)
    with pytest.raises(ApiError, match="does not simulate"):
        streams.log({"metadata": {"name": "other"}}, "x", previous=False)


def test_a_log_is_followed_to_its_end():
    async def run():
        log, read = Log(), []
        log.write(1.0, "before")

        async def follow():
            read.extend([line.text.partition("\t")[2] async for line in log.follow()])

        task = asyncio.create_task(follow())
        await asyncio.sleep(0)
        log.write(2.0, "during")
        log.close()
        await task
        await follow()
        assert read == ["during"]

    asyncio.run(run())
