"""Small API objects and the recordings made of them."""

from typing import Any

from utilities.history import EVENT, POD, VM, VMI, VMIM, Change, Gap, Record, Timeline

NAMESPACE = "qa"
RESOURCE = "nvidia.com/GRID_T4_2Q"
EPOCH = 1_767_322_800.0  # 2026-01-02T03:00:00Z


def stamp(second: int) -> str:
    return f"2026-01-02T03:{second // 60:02}:{second % 60:02}Z"


class Writer:
    """Writes records as a cluster would: one resourceVersion a write, each received a millisecond after the last."""

    def __init__(self) -> None:
        self.version = 100
        self.records: list[Record] = []

    def write(self, change: Change, kind: str, name: str, second: int | None = None, /, **parts: Any) -> Record:
        self.version += 1
        metadata = {
            "name": name,
            "namespace": NAMESPACE,
            "uid": parts.pop("uid", f"uid-{name}"),
            "resourceVersion": str(self.version),
            "labels": parts.pop("labels", {}),
        }
        if second is not None:
            metadata["managedFields"] = [{"manager": "x", "time": stamp(second)}]
        record = Record.of(change, kind, {"metadata": metadata} | parts, received=self.version / 1000)
        self.records.append(record)
        return record

    def vm(self, name: str, status: str, second: int | None = None, change: Change = Change.MODIFIED) -> Record:
        return self.write(change, VM, name, second, status={"printableStatus": status})

    def vmi(
        self, name: str, node: str, second: int | None = None, change: Change = Change.MODIFIED, **status: Any
    ) -> Record:
        uid = status.pop("uid", f"uid-vmi-{name}")
        return self.write(change, VMI, name, second, status={"phase": "Running", "nodeName": node} | status, uid=uid)

    def vmim(
        self,
        name: str,
        vmi: str,
        phase: str,
        second: int | None = None,
        change: Change = Change.MODIFIED,
        **status: Any,
    ) -> Record:
        return self.write(change, VMIM, name, second, spec={"vmiName": vmi}, status={"phase": phase} | status)

    def pod(
        self, name: str, vmi: str, phase: str, node: str | None = None, change: Change = Change.MODIFIED, **labels: str
    ) -> Record:
        containers = [{"name": "compute", "resources": {"requests": {RESOURCE: "1", "cpu": "100m"}}}, {"name": "log"}]
        spec: dict[str, Any] = {"containers": containers}
        if node:
            spec["nodeName"] = node
        given = {"kubevirt.io/created-by": f"uid-vmi-{vmi}"} | {f"kubevirt.io/{k}": v for k, v in labels.items()}
        return self.write(change, POD, name, None, spec=spec, status={"phase": phase}, labels=given)

    def event(
        self, name: str, kind: str, about: str, said: tuple[str, str, str], change: Change = Change.ADDED, **parts: Any
    ) -> Record:
        subject = {"kind": kind, "namespace": NAMESPACE, "name": about, "uid": f"uid-{about}"}
        severity, reason, message = said
        fields = {"type": severity, "reason": reason, "message": message, "involvedObject": subject}
        return self.write(change, EVENT, name, None, **fields | parts)

    def timeline(self, gaps: tuple[Gap, ...] = (), records: list[Record] | None = None) -> Timeline:
        return Timeline.of(records or self.records, watched=(VM, VMI, VMIM, POD, EVENT), gaps=gaps)


def gap(kind: str, after: float = 0, until: float = 10_000) -> Gap:
    return Gap(kind, after, until, after / 1000, until / 1000, "410 Expired")
