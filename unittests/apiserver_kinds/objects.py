"""Small manifests that every API server accepts."""


def pod_spec(**spec):
    return {"containers": [{"name": "c", "image": "i"}], **spec}


def pod(name="p", namespace="t", spec=None, **metadata):
    return {"metadata": {"name": name, "namespace": namespace, **metadata}, "spec": {**pod_spec(), **(spec or {})}}


def workload(name="d", namespace="t", spec=None, **metadata):
    """A Deployment or ReplicaSet."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec()}
    body = {"selector": {"matchLabels": labels}, "template": template, **(spec or {})}
    return {"metadata": {"name": name, "namespace": namespace, **metadata}, "spec": body}
