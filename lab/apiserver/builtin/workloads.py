"""Deployments, ReplicaSets, DaemonSets and Jobs: defaults and rules (kubernetes-api sheet §6.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.builtin import label_selectors, pod_specs
from lab.apiserver.builtin.pod_shapes import TEMPLATE
from lab.apiserver.builtin.shapes import FLAG, OBJECT, SELECTOR, TEXT, WHOLE, obj, with_default
from lab.apiserver.causes import invalid_value, not_supported, required
from lab.apiserver.custom.schemas.types import Schema
from lab.apiserver.errors import Cause

_HISTORY: Schema = with_default(WHOLE, 10)
DEPLOYMENT = obj(
    spec=with_default(
        obj(
            replicas=with_default(WHOLE, 1),
            selector=SELECTOR,
            template=with_default(TEMPLATE, {}),
            strategy=with_default(obj(type=with_default(TEXT, "RollingUpdate"), rollingUpdate=OBJECT), {}),
            minReadySeconds=WHOLE,
            paused=FLAG,
            progressDeadlineSeconds=with_default(WHOLE, 600),
            revisionHistoryLimit=_HISTORY,
        ),
        {},
    ),
    status=OBJECT,
)
REPLICA_SET = obj(
    spec=with_default(obj(replicas=with_default(WHOLE, 1), selector=SELECTOR, template=with_default(TEMPLATE, {})), {}),
    status=OBJECT,
)
DAEMON_SET = obj(
    spec=with_default(
        obj(
            selector=SELECTOR,
            template=with_default(TEMPLATE, {}),
            updateStrategy=with_default(obj(type=with_default(TEXT, "RollingUpdate"), rollingUpdate=OBJECT), {}),
            revisionHistoryLimit=_HISTORY,
        ),
        {},
    ),
    status=OBJECT,
)
JOB = obj(
    spec=with_default(
        obj(
            parallelism=with_default(WHOLE, 1),
            completions=WHOLE,
            backoffLimit=with_default(WHOLE, 6),
            completionMode=with_default(TEXT, "NonIndexed"),
            podReplacementPolicy=with_default(TEXT, "TerminatingOrFailed"),
            suspend=with_default(FLAG, False),
            manualSelector=FLAG,
            selector=SELECTOR,
            template=with_default(TEMPLATE, {}),
            ttlSecondsAfterFinished=WHOLE,
            activeDeadlineSeconds=WHOLE,
        ),
        {},
    ),
    status=OBJECT,
)
_STRATEGIES = ("Recreate", "RollingUpdate")
_UPDATES = ("OnDelete", "RollingUpdate")
_UID_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")
_NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")


def completed_deployment(new: Object, _: Object | None) -> Object:
    """With the numbers of a rolling update."""
    return _completed(new, "strategy", {"maxSurge": "25%", "maxUnavailable": "25%"})


def completed_daemon_set(new: Object, _: Object | None) -> Object:
    """With the numbers of a rolling update."""
    return _completed(new, "updateStrategy", {"maxSurge": 0, "maxUnavailable": 1})


def completed_replica_set(new: Object, _: Object | None) -> Object:
    """With pull policies in the template."""
    return {**new, "spec": _with_template(new["spec"])}


def completed_job(new: Object, old: Object | None) -> Object:
    """With completions, and on create a selector and labels made from the uid."""
    spec = _with_template(new["spec"])
    if old is not None or spec.get("manualSelector"):
        return {**new, "spec": spec}
    uid, name = new["metadata"]["uid"], new["metadata"].get("name", "")
    metadata = spec["template"].get("metadata") or {}
    marks = {**dict.fromkeys(_UID_LABELS, uid), **dict.fromkeys(_NAME_LABELS, name)}
    template = {**spec["template"], "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **marks}}}
    selector = {"matchLabels": {_UID_LABELS[0]: uid}}
    completions = spec.get("completions", spec["parallelism"])
    return {**new, "spec": {**spec, "completions": completions, "selector": selector, "template": template}}


def deployment_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a Deployment."""
    kind = new["spec"]["strategy"]["type"]
    if kind not in _STRATEGIES:
        yield not_supported("spec.strategy.type", kind, _STRATEGIES)
    yield from _replicas(new["spec"])
    yield from _workload("deployment", new, old)


def replica_set_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a ReplicaSet."""
    yield from _replicas(new["spec"])
    yield from _workload("replicaset", new, old)


def daemon_set_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a DaemonSet."""
    kind = new["spec"]["updateStrategy"]["type"]
    if kind not in _UPDATES:
        yield not_supported("spec.updateStrategy.type", kind, _UPDATES)
    yield from _workload("daemonset", new, old)


def job_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a Job."""
    spec = new["spec"]
    for field in ("parallelism", "completions", "backoffLimit"):
        if spec.get(field, 0) < 0:
            yield invalid_value(f"spec.{field}", spec[field], "must be greater than or equal to 0")
    restart = spec["template"]["spec"].get("restartPolicy")
    if restart == "Always":
        yield required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"')
    yield from pod_specs.causes(spec["template"]["spec"], "spec.template.spec")
    if old is not None:
        for field in ("completions", "selector", "template"):
            if spec.get(field) != old["spec"].get(field):
                yield invalid_value(f"spec.{field}", spec.get(field), "field is immutable")


def _completed(new: Object, field: str, rolling: Mapping[str, Any]) -> Object:
    spec = _with_template(new["spec"])
    strategy = spec[field]
    if strategy["type"] == "RollingUpdate":
        strategy = {**strategy, "rollingUpdate": {**rolling, **(strategy.get("rollingUpdate") or {})}}
    return {**new, "spec": {**spec, field: strategy}}


def _with_template(spec: Mapping[str, Any]) -> Object:
    template = spec["template"]
    return {**spec, "template": {**template, "spec": pod_specs.completed(template["spec"])}}


def _replicas(spec: Mapping[str, Any]) -> Iterator[Cause]:
    if spec["replicas"] < 0:
        yield invalid_value("spec.replicas", spec["replicas"], "must be greater than or equal to 0")


def _workload(kind: str, new: Object, old: Object | None, restarts: Sequence[str] = ("Always",)) -> Iterator[Cause]:
    """The rules all of them share: about the selector and the template."""
    spec = new["spec"]
    selector, template = spec.get("selector"), spec["template"]
    if selector is None:
        yield required("spec.selector")
    else:
        wrong = list(label_selectors.problems(selector, "spec.selector"))
        yield from wrong
        labels = (template.get("metadata") or {}).get("labels") or {}
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            yield invalid_value("spec.selector", selector, f"empty selector is invalid for {kind}")
        elif not wrong and not label_selectors.selects(selector, {"metadata": {"labels": labels}}):
            yield invalid_value("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")
    yield from pod_specs.causes(template["spec"], "spec.template.spec", restarts)
    if old is not None and selector != old["spec"].get("selector"):
        yield invalid_value("spec.selector", selector, "field is immutable")
