"""Whether a node fits a pod, and the words for why not (kube-scheduler's filters in their order)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, Table
from lab.scheduling.placement import REQUIRED, Placed
from lab.scheduling.selectors import matches_labels, matches_node_affinity, untolerated

Json = Mapping[str, Any]
Terms = tuple[Json, ...]
HOSTNAME = "kubernetes.io/hostname"
_UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a node does not fit (empty: it fits), and whether evicting others could help."""

    reasons: tuple[str, ...] = ()
    hopeless: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """One pod looked at for one node."""

    pod: Json
    node: Json
    wanted: Mapping[str, int]
    offered: Mapping[str, int]
    used: Mapping[str, int]
    near: Callable[[str], tuple[Placed, ...]]  # pods in the node's domain of a topology key

    @property
    def short_of(self) -> tuple[str, ...]:
        """Resources the node has not enough of."""
        offered, used = self.offered, self.used
        return tuple(
            [name for name, amount in self.wanted.items() if amount > offered.get(name, 0) - used.get(name, 0)]
        )

    @property
    def taint(self) -> Json | None:
        """The taint that keeps the pod away."""
        return untolerated(self.pod, self.node["spec"].get("taints") or ())


FITS = Verdict()


def _cordoned(candidate: Candidate) -> bool:
    return (
        bool(candidate.node["spec"].get("unschedulable")) and untolerated(candidate.pod, (_UNSCHEDULABLE,)) is not None
    )


def _unselected(candidate: Candidate) -> bool:
    labels = candidate.node["metadata"].get("labels") or {}
    spec = candidate.pod["spec"]
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return True
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED)
    return required is not None and not matches_node_affinity(required, candidate.node)


def _terms(candidate: Candidate, kind: str) -> Terms:
    return tuple(((candidate.pod["spec"].get("affinity") or {}).get(kind) or {}).get(REQUIRED) or ())


def _meets(candidate: Candidate, term: Json) -> bool:
    """Whether some pod in the node's domain is one the term speaks of."""
    namespaces = term.get("namespaces") or (candidate.pod["metadata"]["namespace"],)
    return any(
        placed.key[0] in namespaces and matches_labels(term.get("labelSelector") or {}, placed.labels)
        for placed in candidate.near(term["topologyKey"])
    )


def _refused_by_others(candidate: Candidate) -> bool:
    metadata = candidate.pod["metadata"]
    labels = metadata.get("labels") or {}
    return any(
        matches_labels(term.get("labelSelector") or {}, labels)
        and metadata["namespace"] in (term.get("namespaces") or (placed.key[0],))
        for placed in candidate.near(HOSTNAME)
        for term in placed.anti_affinity
    )


def _refuses_others(candidate: Candidate) -> bool:
    return any(_meets(candidate, term) for term in _terms(candidate, "podAntiAffinity"))


def _misses_others(candidate: Candidate) -> bool:
    return any(not _meets(candidate, term) for term in _terms(candidate, "podAffinity"))


def _taint_text(candidate: Candidate) -> Verdict:
    taint = candidate.taint or {}
    text = f"{taint.get('key')}: {taint.get('value') or ''}"
    return Verdict((f"node(s) had untolerated taint {{{text}}}",), hopeless=True)


FILTER: Table[Candidate] = Table(
    "scheduler-filter",
    (
        Row("cordoned", _cordoned, says(Verdict(("node(s) were unschedulable",), hopeless=True))),
        Row("tainted", lambda candidate: candidate.taint is not None, answering(_taint_text)),
        Row(
            "not selected",
            _unselected,
            says(Verdict(("node(s) didn't match Pod's node affinity/selector",), hopeless=True)),
        ),
        Row(
            "too small",
            lambda candidate: bool(candidate.short_of),
            answering(lambda candidate: Verdict(tuple(_short(name) for name in candidate.short_of))),
        ),
        Row(
            "refused by pods there",
            _refused_by_others,
            says(Verdict(("node(s) didn't satisfy existing pods anti-affinity rules",))),
        ),
        Row(
            "missing company",
            _misses_others,
            says(Verdict(("node(s) didn't match pod affinity rules",), hopeless=True)),
        ),
        Row("unwanted company", _refuses_others, says(Verdict(("node(s) didn't match pod anti-affinity rules",)))),
        Row("fits", lambda _: True, says(FITS)),
    ),
)


def explain(verdicts: Iterable[Verdict]) -> str:
    """The scheduler's sentence about nodes that all do not fit."""
    verdicts = tuple(verdicts)
    total = len(verdicts)
    counted = Counter(reason for verdict in verdicts for reason in verdict.reasons)
    reasons = ", ".join(sorted(f"{count} {reason}" for reason, count in counted.items()))
    hopeless = sum(verdict.hopeless for verdict in verdicts)
    preemption = [
        f"{count} {text}"
        for count, text in (
            (total - hopeless, "No preemption victims found for incoming pod"),
            (hopeless, "Preemption is not helpful for scheduling"),
        )
        if count
    ]
    if not total:
        return "no nodes available to schedule pods"
    head = f"0/{total} nodes are available: "
    return f"{head}{reasons}. preemption: {head}{', '.join(preemption)}."


def _short(resource: str) -> str:
    return "Too many pods" if resource == "pods" else f"Insufficient {resource}"
