"""Everything listable is in the inventory once, but what comes and goes by itself; of Leases, the suite's own."""

from utilities.errors import NotFound
from utilities.kubevirt.inventory import Item, inventory, left_since


def served(name, kind, namespaced=True, verbs=("list", "get")):
    return {"name": name, "kind": kind, "namespaced": namespaced, "verbs": list(verbs)}


CORE = [
    served("pods", "Pod"),
    served("pods/log", "Pod"),
    served("nodes", "Node", namespaced=False),
    served("events", "Event"),
    served("bindings", "Binding", verbs=("create",)),
]
GROUPS = {
    "kubevirt.io/v1": [served("kubevirts", "KubeVirt")],
    "coordination.k8s.io/v1": [served("leases", "Lease")],
    "events.k8s.io/v1": [served("events", "Event")],
    "cortex.cloud/v1alpha1": [served("histories", "History", namespaced=False)],
    "gone.io/v1": [served("things", "Thing")],
}


class Api:
    def __init__(self):
        self.listed = []

    def call(self, method, path):
        assert method == "GET"
        if path == "/apis":
            return {"groups": [{"preferredVersion": {"groupVersion": version}} for version in GROUPS]}
        return {"resources": CORE if path == "/api/v1" else GROUPS[path.removeprefix("/apis/")]}

    def list(self, resource):
        self.listed.append(resource.path())
        if resource.plural == "things":
            raise NotFound("gone", next_step="", code=404)
        namespace = {"namespace": "qa"} if resource.namespaced else {}
        names = ("a", "migration-test-plans-run-a") if resource.plural == "leases" else ("a",)
        return {"items": [{"metadata": {"name": name, "uid": f"uid-{name}", **namespace}} for name in names]}


def test_each_kind_is_listed_once():
    api = Api()
    found = inventory(api)
    own = ["/apis/kubevirt.io/v1/kubevirts", "/apis/coordination.k8s.io/v1/leases", "/apis/gone.io/v1/things"]
    assert api.listed == ["/api/v1/pods", "/api/v1/nodes", *own]
    assert [str(item) for item in sorted(found)] == [
        "kubevirts.kubevirt.io qa/a", "leases.coordination.k8s.io qa/migration-test-plans-run-a", "nodes a", "pods qa/a"
    ]  # fmt: skip


def test_an_object_made_anew_is_another_one():
    assert Item("pods", "qa", "a", "1") != Item("pods", "qa", "a", "2")


def test_a_pod_that_was_replaced_is_not_left_behind():
    deployment = Item("deployments.apps", "qa", "operator", "d")
    before = frozenset({deployment, Item("pods", "qa", "operator-1", "p1", "d"), Item("pods", "qa", "vm", "p2")})
    new = Item("deployments.apps", "qa", "ours", "o")
    left = [
        Item("pods", "qa", "ours-1", "p4", "o"),
        Item("pods", "qa", "vm", "p5"),
        Item("secrets", "qa", "s", "s", "d"),
    ]
    now = frozenset({deployment, new, Item("pods", "qa", "operator-2", "p3", "d"), *left})
    assert left_since(before, now) == sorted([new, *left])
