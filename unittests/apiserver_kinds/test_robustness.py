"""A body of a built-in kind with anything anywhere is stored or refused; it never breaks the server."""

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin import kinds
from lab.apiserver.builtin.admission import BuiltinAdmission
from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.clock import ManualClock
from unittests.apiserver_kinds.hypervisors import definition
from unittests.apiserver_kinds.objects import pod, pod_spec, workload

META = {"name": "x", "namespace": "t"}
CONTAINER = {"name": "c", "image": "i:1", "resources": {"limits": {"cpu": 1}, "requests": {"a.b/c": "1"}},
             "volumeMounts": [{"name": "v", "mountPath": "/v"}], "env": [{"name": "E", "value": "1"}],
             "livenessProbe": {"httpGet": {"path": "/", "port": 80}}}  # fmt: skip
SPEC = {"containers": [CONTAINER], "volumes": [{"name": "v", "emptyDir": {}}], "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute"}]}  # fmt: skip
SUBJECT = {"kind": "User", "name": "u"}
BODIES = {
    kinds.POD: pod(spec=SPEC),
    kinds.NODE: {"metadata": {"name": "n"}, "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}},
    kinds.NAMESPACE: {"metadata": {"name": "n"}, "spec": {"finalizers": ["a/b"]}},
    kinds.SECRET: {"metadata": META, "data": {"a": "YQ=="}, "stringData": {"b": "b"}, "type": "Opaque"},
    kinds.CONFIG_MAP: {"metadata": META, "data": {"a": "b"}, "binaryData": {"c": "YQ=="}},
    kinds.SERVICE: {"metadata": META, "spec": {"ports": [{"port": 80, "name": "h"}], "selector": {"a": "b"}}},
    kinds.PVC: {"metadata": META, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "f",
                                           "resources": {"requests": {"storage": "1Gi"}}}},
    kinds.DEPLOYMENT: workload(spec={"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}),
    kinds.DAEMON_SET: workload(),
    kinds.JOB: {"metadata": META, "spec": {"template": {"spec": pod_spec(restartPolicy="Never")}}},
    kinds.PDB: {"metadata": META, "spec": {"minAvailable": "50%", "selector": {
        "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}},
    kinds.LEASE: {"metadata": META, "spec": {"leaseDurationSeconds": 1, "renewTime": "2026-01-01T00:00:00Z"}},
    kinds.ROLE: {"metadata": META, "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]},
    kinds.ROLE_BINDING: {"metadata": META, "roleRef": {"kind": "Role", "name": "r"}, "subjects": [SUBJECT]},
    kinds.EVENT: {"metadata": META, "involvedObject": {"namespace": "t"}, "eventTime": "2026-01-01T00:00:00Z"},
    kinds.EVENTS_EVENT: {"metadata": META, "regarding": {"namespace": "t"}, "series": {"count": 1}},
    kinds.STORAGE_CLASS: {"metadata": {"name": "s"}, "provisioner": "p", "parameters": {"a": "b"}},
    kinds.PRIORITY_CLASS: {"metadata": {"name": "p"}, "value": 1},
    kinds.CRD: definition(),
}  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.just(1.5) | st.sampled_from(["", "a", "a b", "é"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "spec", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(value, path=()):
    """Every place in a body that can be replaced."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def server():
    api = Api(Store(), ManualClock(), Catalogue(BUILTIN), Admission(), strategies(), random.Random(1))
    BuiltinAdmission(api).register()
    return api


@pytest.mark.parametrize("kind", BODIES, ids=lambda kind: kind.qualified)
def test_the_bodies_themselves_are_fine(kind):
    if kind is kinds.POD:
        limited = replaced(BODIES[kind], ("spec", "containers", 0, "resources"), {"limits": {"cpu": 1}})
        assert server().create(kind, limited)
    else:
        assert server().create(kind, BODIES[kind])


@settings(max_examples=25, derandomize=True)
@given(data=st.data())
@pytest.mark.parametrize("kind", BODIES, ids=lambda kind: kind.qualified)
def test_anything_anywhere_is_stored_or_refused(kind, data):
    api = server()
    path = data.draw(st.sampled_from(list(places(BODIES[kind]))))
    body = replaced(BODIES[kind], path, data.draw(ANYTHING))
    with suppress(ApiError):
        made = api.create(kind, body)
        api.update(kind, {**made, "metadata": {**made["metadata"], "labels": {"a": "b"}}})
    with suppress(ApiError):
        made = api.create(kind, BODIES[kind])
        api.update(kind, {**body, "metadata": made["metadata"]})
