"""A real kubectl on the wire: the commands a plan's author types. It must be installed; nothing here is skipped."""

import json
import os
import shutil
import subprocess
import threading

import pytest

from lab.apiserver.kubeconfig import kubeconfig, write_kubeconfig
from unittests.apiserver_http.labserver import ADMIN, TESTER
from unittests.apiserver_http.test_conformance_custom import definition, established

LONGEST = 40.0  # wall seconds a command may take
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: %s}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "i:1"}]}
"""


class Kubectl:
    """Runs kubectl as one user; each call is a process of its own, discovery is cached between them."""

    def __init__(self, server, directory, token: str) -> None:
        path = shutil.which("kubectl")
        assert path, "kubectl is not installed (Debian package kubernetes-client)"
        document = kubeconfig(server.front.url, server.front.authority.pem, user="user", token=token)
        config = write_kubeconfig(directory / f"{token}.kubeconfig", document)
        self._command = [path, f"--kubeconfig={config}", f"--cache-dir={directory / 'cache'}"]
        self._environment = {"HOME": str(directory), "PATH": os.environ["PATH"]}

    def start(self, *words: str, **options) -> subprocess.Popen:
        """A running kubectl; it is ended should it hang, so that its output ends too."""
        process = subprocess.Popen(
            [*self._command, *words], env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            **options,
        )  # fmt: skip
        guard = threading.Timer(LONGEST, process.kill)
        guard.daemon = True
        guard.start()
        return process

    def speaks_websockets(self) -> bool:
        """True from 1.31 on."""
        version = json.loads(self("version", "--client", "-o", "json"))["clientVersion"]
        return int(version["minor"].rstrip("+")) >= 31

    def fails(self, *words: str, typed: str = "") -> str:
        """The error of a command that must fail."""
        process = self.start(*words, stdin=subprocess.PIPE)
        out, err = process.communicate(typed, timeout=30)
        assert process.returncode != 0, out
        return err

    def __call__(self, *words: str, typed: str = "") -> str:
        process = self.start(*words, stdin=subprocess.PIPE)
        out, err = process.communicate(typed, timeout=30)
        assert process.returncode == 0, err
        return out


@pytest.fixture(scope="module")
def kubectl(server, tmp_path_factory):
    return Kubectl(server, tmp_path_factory.mktemp("kubectl"), ADMIN)


def test_get_in_every_output(kubectl, admin, namespace):
    admin.post(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "a"}, "data": {"k": "v"}})
    rows = kubectl("get", "configmap", "-n", namespace, "--field-selector=metadata.name=a").splitlines()
    assert rows[0].split() == ["NAME", "DATA", "AGE"]
    assert rows[1].split()[:2] == ["a", "1"]
    assert json.loads(kubectl("get", "cm", "a", "-n", namespace, "-o", "json"))["data"] == {"k": "v"}
    assert "k: v" in kubectl("get", "cm", "a", "-n", namespace, "-o", "yaml")
    assert kubectl("get", "cm", "a", "-n", namespace, "-o", "jsonpath={.data.k}") == "v"
    assert kubectl("get", "cm/a", "-n", namespace, "-o", "name") == "configmap/a\n"
    assert namespace in kubectl("get", "cm", "-A", "--sort-by=.metadata.name")
    assert 'configmaps "none" not found' in kubectl.fails("get", "cm", "none", "-n", namespace)


def test_get_pods_and_nodes_as_tables(kubectl, admin, namespace):
    status = {"conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": {"kubeletVersion": "v1.33.0"}}
    admin.post("/api/v1/nodes", {"metadata": {"name": "n-table"}})
    admin.patch("/api/v1/nodes/n-table/status", {"status": status})
    row = kubectl("get", "node", "n-table", "-o", "wide", "--no-headers").split()
    assert row[:3] == ["n-table", "Ready", "<none>"]
    assert row[4] == "v1.33.0"
    spec = {"nodeName": "n-table", "containers": [{"name": "c", "image": "i"}]}
    admin.post(f"/api/v1/namespaces/{namespace}/pods", {"metadata": {"name": "p"}, "spec": spec})
    assert kubectl("get", "pod", "p", "-n", namespace, "--no-headers").split()[:4] == ["p", "0/1", "Pending", "0"]


def test_create_namespaces_and_more(kubectl, namespace):
    assert kubectl("create", "namespace", f"{namespace}-b") == f"namespace/{namespace}-b created\n"
    words = ("create", "configmap", "a", "-n", namespace, "--from-literal=x=y")
    assert kubectl(*words) == "configmap/a created\n"
    assert "already exists" in kubectl.fails(*words)
    kubectl("create", "secret", "generic", "s", "-n", namespace, "--from-literal=x=y")
    assert kubectl("get", "secret", "s", "-n", namespace, "-o", "jsonpath={.data.x}") == "eQ=="
    kubectl("create", "serviceaccount", "robot", "-n", namespace)
    kubectl("create", "deployment", "d", "-n", namespace, "--image=i")
    assert kubectl("get", "deployment", "d", "-n", namespace, "-o", "jsonpath={..image}") == "i"


def test_apply_twice_and_server_side(kubectl, namespace):
    text = DEPLOYMENT % namespace
    assert kubectl("apply", "-f", "-", typed=text) == "deployment.apps/web created\n"
    assert kubectl("apply", "-f", "-", typed=text) == "deployment.apps/web unchanged\n"
    assert kubectl("apply", "-f", "-", typed=text.replace("i:1", "i:2")) == "deployment.apps/web configured\n"
    assert kubectl("get", "deploy", "web", "-n", namespace, "-o", "jsonpath={..image}") == "i:2"
    done = kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", typed=text.replace("i:1", "i:3"))
    assert done == "deployment.apps/web serverside-applied\n"


def test_patches_of_each_type(kubectl, namespace):
    kubectl("apply", "-f", "-", typed=DEPLOYMENT % namespace)
    spec = '{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:9"}]}}}}'
    kubectl("patch", "deploy", "web", "-n", namespace, "-p", spec)
    kubectl("patch", "deploy", "web", "-n", namespace, "--type=merge", "-p", '{"metadata":{"labels":{"a":"b"}}}')
    kubectl("patch", "deploy", "web", "-n", namespace, "--type=json",
            "-p", '[{"op":"replace","path":"/spec/replicas","value":4}]')  # fmt: skip
    path = "jsonpath={..image} {.metadata.labels.a} {.spec.replicas}"
    assert kubectl("get", "deploy", "web", "-n", namespace, "-o", path) == "i:9 b 4"
    kubectl("scale", "deploy", "web", "-n", namespace, "--replicas=2")
    kubectl("set", "image", "deploy/web", "-n", namespace, "c=i:10")
    assert kubectl("get", "deploy", "web", "-n", namespace, "-o", path) == "i:10 b 2"


def test_labels_annotations_and_taints(kubectl, admin):
    admin.post("/api/v1/nodes", {"metadata": {"name": "n-label"}})
    kubectl("label", "node", "n-label", "a=b")
    kubectl("annotate", "node", "n-label", "c=d")
    kubectl("taint", "node", "n-label", "k=v:NoSchedule")
    kubectl("cordon", "n-label")
    node = admin.get("/api/v1/nodes/n-label").json
    assert (node["metadata"]["labels"]["a"], node["metadata"]["annotations"]["c"]) == ("b", "d")
    assert {"key": "k", "value": "v", "effect": "NoSchedule"} in node["spec"]["taints"]
    assert node["spec"]["unschedulable"] is True
    assert kubectl("get", "node", "n-label", "--no-headers").split()[1].endswith("SchedulingDisabled")
    kubectl("uncordon", "n-label")
    kubectl("taint", "node", "n-label", "k-")
    kubectl("label", "node", "n-label", "a-")
    node = admin.get("/api/v1/nodes/n-label").json
    assert not node["spec"].get("taints")
    assert not node["spec"].get("unschedulable")
    assert "a" not in node["metadata"].get("labels", {})


def test_describe(kubectl, admin, namespace):
    admin.post("/api/v1/nodes", {"metadata": {"name": "n-describe"}})
    spec = {"nodeName": "n-describe", "containers": [{"name": "c", "image": "i"}]}
    pod = admin.post(f"/api/v1/namespaces/{namespace}/pods", {"metadata": {"name": "p"}, "spec": spec}).json
    about = {"kind": "Pod", "namespace": namespace, "name": "p", "uid": pod["metadata"]["uid"], "apiVersion": "v1"}
    admin.post(f"/api/v1/namespaces/{namespace}/events", {
        "metadata": {"name": "p.1"}, "involvedObject": about, "type": "Normal", "reason": "Pulled", "message": "got it",
        "source": {"component": "kubelet"}, "count": 1,
    })  # fmt: skip
    assert "got it" in kubectl("describe", "pod", "p", "-n", namespace)
    shown = kubectl("describe", "node", "n-describe")
    assert "Non-terminated Pods" in shown
    assert namespace in shown


def test_wait_and_watch(kubectl, admin, namespace):
    kubectl("apply", "-f", "-", typed=DEPLOYMENT % namespace)
    follower = kubectl.start("get", "deploy", "web", "-n", namespace, "-w", "-o", "name")
    waiter = kubectl.start("wait", "deploy/web", "-n", namespace, "--for=condition=Available", "--timeout=20s")
    assert follower.stdout.readline() == "deployment.apps/web\n"
    condition = {"type": "Available", "status": "True", "reason": "R", "message": "m"}
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/web"
    assert admin.patch(f"{path}/status", {"status": {"conditions": [condition]}}).status == 200
    out, err = waiter.communicate(timeout=30)
    assert out == "deployment.apps/web condition met\n", err
    assert follower.stdout.readline() == "deployment.apps/web\n"
    follower.kill()
    follower.communicate()


def test_delete_waits_until_it_is_gone(kubectl, admin, namespace):
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    admin.post(path, {"metadata": {"name": "held", "finalizers": ["lab.test/hold"]}})
    deleter = kubectl.start("delete", "cm", "held", "-n", namespace)
    with admin.watch(f"{path}?watch=true&fieldSelector=metadata.name%3Dheld") as events:
        while "deletionTimestamp" not in events.next()["object"]["metadata"]:
            pass
    assert deleter.poll() is None
    admin.patch(f"{path}/held", {"metadata": {"finalizers": None}})
    out, err = deleter.communicate(timeout=30)
    assert 'configmap "held" deleted' in out, err
    admin.post(path, {"metadata": {"name": "a", "labels": {"l": "x"}}})
    assert "deleted" in kubectl("delete", "cm", "-n", namespace, "-l", "l=x")
    assert admin.get(f"{path}/a").status == 404


def test_custom_resources(kubectl, admin, namespace):
    established(admin, "doodads")
    text = f"apiVersion: lab.test/v1\nkind: Doodad\nmetadata: {{name: x, namespace: {namespace}}}\nspec: {{size: 4}}\n"
    assert kubectl("apply", "-f", "-", typed=text) == "doodad.lab.test/x created\n"
    assert kubectl("apply", "-f", "-", typed=text.replace("size: 4", "size: 5")) == "doodad.lab.test/x configured\n"
    assert kubectl("get", "sdoodads", "-n", namespace, "--no-headers").split()[:2] == ["x", "5"]
    assert "doodads" in kubectl("api-resources", "--api-group=lab.test")
    assert "x" in kubectl("describe", "doodad", "x", "-n", namespace)
    kubectl(
        "create",
        "-f",
        "-",
        typed=json.dumps(
            {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **definition("doohickeys")}
        ),
    )


def test_who_may_do_what(kubectl, server, admin, namespace, tmp_path):
    tester = Kubectl(server, tmp_path, TESTER)
    assert kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert tester.fails("auth", "can-i", "list", "pods", "-n", namespace) is not None
    assert 'User "tester" cannot list resource "pods"' in tester.fails("get", "pods", "-n", namespace)
    kubectl("create", "rolebinding", "b", "-n", namespace, "--clusterrole=view", "--user=tester")
    assert tester("auth", "can-i", "list", "pods", "-n", namespace) == "yes\n"
    assert "pods" in tester("auth", "can-i", "--list", "-n", namespace)
    tester("get", "pods", "-n", namespace)


def test_drain(kubectl, admin, namespace):
    admin.post("/api/v1/nodes", {"metadata": {"name": "n-drain"}})
    pods = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"nodeName": "n-drain", "containers": [{"name": "c", "image": "i"}]}
    admin.post(pods, {"metadata": {"name": "p"}, "spec": spec})
    drainer = kubectl.start("drain", "n-drain", "--force", "--timeout=30s")
    with admin.watch(f"{pods}?watch=true&fieldSelector=metadata.name%3Dp") as events:
        while "deletionTimestamp" not in (event := events.next())["object"]["metadata"]:
            pass
        if event["type"] != "DELETED":
            admin.delete(f"{pods}/p", {"gracePeriodSeconds": 0})  # what a kubelet does
    out, err = drainer.communicate(timeout=40)
    assert drainer.returncode == 0, err
    assert "evict" in out
    assert admin.get("/api/v1/nodes/n-drain").json["spec"]["unschedulable"] is True


def test_logs_and_exec(kubectl, admin, namespace):
    spec = {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]}
    admin.post(f"/api/v1/namespaces/{namespace}/pods", {"metadata": {"name": "p"}, "spec": spec})
    assert kubectl("logs", "p", "-n", namespace, "--tail=1") == "two\n"
    words = ("exec", "p", "-n", namespace, "--", "sh", "-c", "echo hi; exit 3")
    if kubectl.speaks_websockets():
        assert "exit code 3" in kubectl.fails(*words)
        assert kubectl("exec", "-i", "p", "-n", namespace, "--", "cat", typed="typed\n") == "typed\n"
    else:  # SPDY is not offered (trap T17)
        assert "Upgrade request required" in kubectl.fails(*words)


def test_raw_and_version(kubectl):
    assert json.loads(kubectl("get", "--raw", "/version"))["major"] == "1"
    assert "v1.33.0" in kubectl("version")
