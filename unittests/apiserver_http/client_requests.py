"""The traced requests of the Python clients (sheet §8.1, §8.2), against the server a kubeconfig names.

Run as `python client_requests.py KUBECONFIG`, under any major version of the kubernetes client; the wrapper's requests
are sent as well when openshift-python-wrapper can be imported. The server must run `sh` in pods, echo on their ports,
and serve a virtual machine `x` (`labserver.py`, `vms.py`). Prints one line per group of requests; a request that is not
answered as expected ends it with a traceback.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable

import kubernetes
from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ResourceNotFoundError
from kubernetes.stream import portforward, stream
from kubernetes.stream.ws_client import ERROR_CHANNEL

NAMESPACE = "clients"
POD = {
    "metadata": {"name": "p"}, "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]},
}  # fmt: skip
MACHINES = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "virtualmachines.kubevirt.io"},
    "spec": {
        "group": "kubevirt.io", "scope": "Namespaced", "names": {"plural": "virtualmachines", "kind": "VirtualMachine"},
        "versions": [{
            "name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        }],
    },
}  # fmt: skip


def refused(code: int, function: Callable, *args, **kwargs) -> None:
    """A call that must fail with this status."""
    status = None
    try:
        function(*args, **kwargs)
    except ApiException as error:
        status = error.status
    assert status == code, (code, status)


def furnish() -> None:
    """The namespace, the pod and the definition that the requests need."""
    core = client.CoreV1Api()
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    core.create_namespaced_pod(NAMESPACE, POD)
    client.ApiextensionsV1Api().create_custom_resource_definition(MACHINES)
    customs = client.CustomObjectsApi()
    for _ in range(100):
        try:
            customs.list_cluster_custom_object("kubevirt.io", "v1", "virtualmachines")
        except ApiException:
            time.sleep(0.05)  # until the definition is established
        else:
            break
    vm = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "x"}, "spec": {}}
    customs.create_namespaced_custom_object("kubevirt.io", "v1", NAMESPACE, "virtualmachines", vm)


def dynamic_objects() -> None:
    """create, get, list, patch in every type, apply, replace, delete."""
    dynamic = DynamicClient(client.ApiClient())
    maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c1", "labels": {"a": "b"}},
        "data": {"k": "v"},
    }
    made = maps.create(body=body, namespace=NAMESPACE, field_manager="me")
    assert made.metadata.managedFields[0].manager == "me"
    listed = maps.get(namespace=NAMESPACE, field_selector="metadata.name=c1", label_selector="a=b", limit=5)
    assert [item.metadata.name for item in listed.items] == ["c1"]
    patches = {
        None: {"data": {"k": "1"}}, "application/merge-patch+json": {"data": {"k": "2"}},
        "application/json-patch+json": [{"op": "replace", "path": "/data/k", "value": "3"}],
    }  # fmt: skip
    for kind, patch in patches.items():
        options = {"content_type": kind} if kind else {}
        patched = maps.patch(body=patch, name="c1", namespace=NAMESPACE, **options)
    assert patched.data.k == "3"
    applied = maps.server_side_apply(
        body={**body, "data": {"k": "4"}}, name="c1", namespace=NAMESPACE, field_manager="mgr", force_conflicts=True
    )
    assert applied.data.k == "4"
    full = maps.get(name="c1", namespace=NAMESPACE).to_dict()
    full["data"]["k"] = "5"
    assert maps.replace(body=full, namespace=NAMESPACE).data.k == "5"
    refused(409, maps.replace, body=full, namespace=NAMESPACE)
    gone = maps.delete(name="c1", namespace=NAMESPACE, grace_period_seconds=0, propagation_policy="Background")
    assert gone.status == "Success"
    maps.create(body={**body, "metadata": {"name": "c2", "labels": {"x": "y"}}}, namespace=NAMESPACE)
    maps.delete(namespace=NAMESPACE, label_selector="x=y")
    refused(404, maps.get, name="c2", namespace=NAMESPACE)


def dynamic_watches_and_lookups() -> None:
    """Watches with a time limit, lookups that miss, subresources."""
    dynamic = DynamicClient(client.ApiClient())
    maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    revision = maps.get(namespace=NAMESPACE).metadata.resourceVersion
    maps.create(body={"metadata": {"name": "w"}, "apiVersion": "v1", "kind": "ConfigMap"}, namespace=NAMESPACE)
    seen = list(maps.watch(namespace=NAMESPACE, resource_version=revision, timeout=1, field_selector="metadata.name=w"))
    assert [(event["type"], event["object"].metadata.name) for event in seen] == [("ADDED", "w")]
    try:
        dynamic.resources.get(api_version="nope.io/v1", kind="Nope")
    except ResourceNotFoundError:
        pass
    else:
        raise AssertionError("an unknown kind was found")
    pods = dynamic.resources.get(api_version="v1", kind="Pod")
    status = pods.status.patch(
        body={"status": {"phase": "Running"}}, name="p", namespace=NAMESPACE,
        content_type="application/merge-patch+json",
    )  # fmt: skip
    assert status.status.phase == "Running"
    assert dynamic.resources.get(api_version="kubevirt.io/v1", kind="VirtualMachine").name == "virtualmachines"


def typed_objects() -> None:
    """Typed models decode, typed patches choose their types, typed watches end."""
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    core.create_node({"metadata": {"name": "n1"}})
    condition = {"type": "Ready", "status": "True", "reason": "R", "message": "m"}
    core.patch_node_status("n1", {"status": {"conditions": [condition]}})
    node = core.patch_node("n1", {"spec": {"unschedulable": True, "taints": [{"key": "a", "effect": "NoSchedule"}]}})
    assert node.spec.unschedulable is True
    assert node.status.conditions[0].type == "Ready"
    assert core.patch_node("n1", [{"op": "add", "path": "/metadata/labels", "value": {"l": "1"}}]).metadata.labels == {
        "l": "1"
    }
    assert [item.metadata.name for item in core.list_node(label_selector="l in (1,2)").items] == ["n1"]
    labels = {"app": "d"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template, "replicas": 2}
    apps.create_namespaced_deployment(NAMESPACE, {"metadata": {"name": "d"}, "spec": spec})
    assert apps.read_namespaced_deployment_scale("d", NAMESPACE).spec.replicas == 2
    events = watch.Watch().stream(
        core.list_namespaced_pod, NAMESPACE, timeout_seconds=1, field_selector="metadata.name=p"
    )
    assert [(event["type"], event["object"].metadata.name) for event in events] == [("ADDED", "p")]
    refused(404, core.read_namespaced_pod, "none", NAMESPACE)
    refused(409, core.create_namespace, {"metadata": {"name": NAMESPACE}})
    refused(422, core.create_namespaced_pod, NAMESPACE, {"metadata": {"name": "bad"}, "spec": {"containers": []}})


def typed_subresources() -> None:
    """Eviction, reviews, logs, tokens, custom objects."""
    core = client.CoreV1Api()
    core.create_namespaced_pod(NAMESPACE, {**POD, "metadata": {"name": "evicted"}})
    eviction = {"deleteOptions": {"gracePeriodSeconds": 0}, "metadata": {"name": "evicted", "namespace": NAMESPACE}}
    core.create_namespaced_pod_eviction("evicted", NAMESPACE, eviction)
    refused(404, core.read_namespaced_pod, "evicted", NAMESPACE)
    attributes = {"namespace": NAMESPACE, "verb": "list", "resource": "pods"}
    review = client.AuthorizationV1Api().create_self_subject_access_review({"spec": {"resourceAttributes": attributes}})
    assert review.status.allowed is True
    assert core.read_namespaced_pod_log("p", NAMESPACE, container="c", tail_lines=1) == "two\n"
    core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "robot"}})
    request = {"spec": {"audiences": [], "expirationSeconds": 900}}
    assert core.create_namespaced_service_account_token("robot", NAMESPACE, request).status.token
    customs = client.CustomObjectsApi()
    where = ("kubevirt.io", "v1", NAMESPACE, "virtualmachines", "x")
    assert customs.patch_namespaced_custom_object(*where, {"spec": {"a": 1}})["spec"] == {"a": 1}
    assert customs.get_namespaced_custom_object(*where)["metadata"]["generation"] == 2


def streams() -> None:
    """exec and port-forward."""
    core = client.CoreV1Api()
    options = {"container": "c", "stderr": True, "stdin": False, "stdout": True, "tty": False}
    execute = core.connect_get_namespaced_pod_exec
    assert stream(execute, "p", NAMESPACE, command=["sh", "-c", "echo a b"], **options) == "a b\n"
    running = stream(
        execute,
        "p",
        NAMESPACE,
        command=["sh", "-c", "echo out; echo err >&2; exit 3"],
        _preload_content=False,
        **options,
    )
    running.run_forever(timeout=10)
    assert (running.read_stdout(), running.read_stderr()) == ("out\n", "err\n")
    assert '"ExitCode"' in running.read_channel(ERROR_CHANNEL) or running.returncode == 3
    talking = stream(execute, "p", NAMESPACE, command=["cat"], _preload_content=False, **{**options, "stdin": True})
    talking.write_stdin("hello\n")
    assert talking.readline_stdout(timeout=10) == "hello"
    talking.close()
    forward = portforward(core.connect_get_namespaced_pod_portforward, "p", NAMESPACE, ports="8080,22")
    for port in (8080, 22):
        socket = forward.socket(port)
        socket.settimeout(10)
        socket.sendall(b"ping")
        assert socket.recv(4) == b"ping"
    forward.close()


def wrapper() -> None:
    """openshift-python-wrapper: deploy, clean up, edit, watch, events, execute, start."""
    from ocp_resources.config_map import ConfigMap
    from ocp_resources.namespace import Namespace
    from ocp_resources.node import Node
    from ocp_resources.pod import Pod
    from ocp_resources.resource import ResourceEditor
    from ocp_resources.virtual_machine import VirtualMachine

    dynamic = DynamicClient(client.ApiClient())
    with ConfigMap(client=dynamic, name="wrapped", namespace=NAMESPACE, data={"a": "b"}) as wrapped:
        assert wrapped.exists
        with ResourceEditor(patches={wrapped: {"metadata": {"labels": {"l": "1"}}, "data": {"a": "c"}}}):
            assert (wrapped.instance.data.a, wrapped.labels.l) == ("c", "1")
        assert wrapped.instance.data.a == "b"
        assert not wrapped.instance.metadata.get("labels", {}).get("l")
        ResourceEditor(patches={wrapped: {"data": {"a": "r"}}}, action="replace").update()
        assert wrapped.instance.data.a == "r"
        seen = wrapped.watcher(timeout=1, resource_version=wrapped.initial_resource_version)
        assert "MODIFIED" in [event["type"] for event in seen]
        assert list(wrapped.events(timeout=1)) == []
        assert "wrapped" in [item.name for item in ConfigMap.get(client=dynamic, namespace=NAMESPACE)]
    assert not wrapped.exists
    node = Node(client=dynamic, name="n1")
    with ResourceEditor(patches={node: {"spec": {"unschedulable": True}}}):
        assert node.instance.spec.unschedulable is True
    pod = Pod(client=dynamic, name="p", namespace=NAMESPACE)
    assert pod.execute(command=["sh", "-c", "echo a b"]) == "a b\n"
    machine = VirtualMachine(client=dynamic, name="x", namespace=NAMESPACE)
    assert machine.exists
    if hasattr(dynamic.client, "request"):  # gone in 37, where this wrapper cannot start machines any more
        machine.start()
        machine.stop()
    with Namespace(client=dynamic, name="clients-2") as namespace:
        namespace.wait_for_status(status=Namespace.Status.ACTIVE, timeout=10)


GROUPS = (furnish, dynamic_objects, dynamic_watches_and_lookups, typed_objects, typed_subresources, streams)


def main(kubeconfig: str) -> None:
    """Send everything."""
    config.load_kube_config(kubeconfig)
    groups = [*GROUPS, wrapper] if importlib.util.find_spec("ocp_resources") else GROUPS
    for group in groups:
        begun = time.monotonic()
        group()
        print(f"{group.__name__}: answered as expected in {time.monotonic() - begun:.1f} s")
    print(f"kubernetes {kubernetes.__version__}: {len(groups)} groups")


if __name__ == "__main__":
    main(sys.argv[1])
