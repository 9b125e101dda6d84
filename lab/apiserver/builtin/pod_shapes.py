"""The shape of a pod's spec, also inside the templates of workloads (kubernetes-api sheet §6.2)."""

from __future__ import annotations

from typing import Final

from lab.apiserver.builtin.shapes import (
    FLAG,
    INT_OR_TEXT,
    OBJECT,
    QUANTITY,
    TEXT,
    TEXTS,
    WHOLE,
    array,
    mapping,
    obj,
    with_default,
)
from lab.apiserver.custom.schemas.types import Schema

_HTTP: Final = obj(path=with_default(TEXT, "/"), port=INT_OR_TEXT, scheme=with_default(TEXT, "HTTP"))
_PROBE: Final = obj(
    httpGet=_HTTP,
    tcpSocket=obj(port=INT_OR_TEXT),
    exec=obj(command=array(TEXT)),
    initialDelaySeconds=WHOLE,
    timeoutSeconds=with_default(WHOLE, 1),
    periodSeconds=with_default(WHOLE, 10),
    successThreshold=with_default(WHOLE, 1),
    failureThreshold=with_default(WHOLE, 3),
)
_FIELD: Final = obj(apiVersion=with_default(TEXT, "v1"), fieldPath=TEXT)
_ENV: Final = obj(name=TEXT, value=TEXT, valueFrom=obj(fieldRef=_FIELD, secretKeyRef=OBJECT, configMapKeyRef=OBJECT))
_MODE: Final = with_default(WHOLE, 420)
_FILES: Final = array(obj(path=TEXT, fieldRef=_FIELD))
RESOURCES: Final = obj(requests=mapping(QUANTITY), limits=mapping(QUANTITY))
CONTAINER: Final = obj(
    name=TEXT,
    image=TEXT,
    command=array(TEXT),
    args=array(TEXT),
    workingDir=TEXT,
    ports=array(obj(name=TEXT, containerPort=WHOLE, hostPort=WHOLE, protocol=with_default(TEXT, "TCP"))),
    env=array(_ENV),
    envFrom=array(OBJECT),
    resources=with_default(RESOURCES, {}),
    volumeMounts=array(obj(name=TEXT, mountPath=TEXT, readOnly=FLAG)),
    volumeDevices=array(obj(name=TEXT, devicePath=TEXT)),
    livenessProbe=_PROBE,
    readinessProbe=_PROBE,
    startupProbe=_PROBE,
    lifecycle=OBJECT,
    securityContext=OBJECT,
    terminationMessagePath=with_default(TEXT, "/dev/termination-log"),
    terminationMessagePolicy=with_default(TEXT, "File"),
    imagePullPolicy=TEXT,
)
VOLUME: Final = obj(
    name=TEXT,
    configMap=obj(name=TEXT, defaultMode=_MODE),
    secret=obj(secretName=TEXT, defaultMode=_MODE),
    projected=obj(sources=array(OBJECT), defaultMode=_MODE),
    downwardAPI=obj(items=_FILES, defaultMode=_MODE),
    hostPath=obj(path=TEXT, type=with_default(TEXT, "")),
    emptyDir=obj(medium=TEXT, sizeLimit=QUANTITY),
    persistentVolumeClaim=obj(claimName=TEXT, readOnly=FLAG),
)
TOLERATION: Final = obj(key=TEXT, operator=TEXT, value=TEXT, effect=TEXT, tolerationSeconds=WHOLE)
_SPEC: Final[dict[str, Schema]] = {
    "activeDeadlineSeconds": WHOLE,
    "affinity": OBJECT,
    "automountServiceAccountToken": FLAG,
    "containers": array(CONTAINER),
    "dnsPolicy": with_default(TEXT, "ClusterFirst"),
    "enableServiceLinks": FLAG,
    "hostNetwork": FLAG,
    "hostname": TEXT,
    "initContainers": array(CONTAINER),
    "nodeName": TEXT,
    "nodeSelector": TEXTS,
    "priority": WHOLE,
    "priorityClassName": TEXT,
    "readinessGates": array(obj(conditionType=TEXT)),
    "restartPolicy": with_default(TEXT, "Always"),
    "schedulerName": with_default(TEXT, "default-scheduler"),
    "securityContext": with_default(OBJECT, {}),
    "serviceAccount": TEXT,
    "serviceAccountName": TEXT,
    "terminationGracePeriodSeconds": with_default(WHOLE, 30),
    "tolerations": array(TOLERATION),
    "topologySpreadConstraints": array(OBJECT),
    "volumes": array(VOLUME),
}
TEMPLATE_SPEC: Final = obj(**_SPEC)
POD_SPEC: Final = obj(
    **_SPEC
    | {
        "enableServiceLinks": with_default(FLAG, True),
        "preemptionPolicy": with_default(TEXT, "PreemptLowerPriority"),
        "serviceAccountName": with_default(TEXT, "default"),
    }
)
TEMPLATE: Final = obj(metadata=obj(labels=TEXTS, annotations=TEXTS), spec=with_default(TEMPLATE_SPEC, {}))
