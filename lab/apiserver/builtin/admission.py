"""Built-in admission plugins: what depends on other objects than the one written (kubernetes-api sheet §6.1, §6.2)."""

from __future__ import annotations

from dataclasses import dataclass

from lab.apiserver.admission import Object, Review
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import POD, PRIORITY_CLASS, PVC, STORAGE_CLASS
from lab.apiserver.errors import forbidden

PROTECTION = "kubernetes.io/pvc-protection"
_IS_DEFAULT = "storageclass.kubernetes.io/is-default-class"


@dataclass(frozen=True, slots=True)
class BuiltinAdmission:
    """Priorities of pods; storage classes and protection of claims."""

    api: Api

    def register(self) -> None:
        """Take part in every create from now on."""
        self.api.admission.mutate_with(POD.key, ["CREATE"], self.with_priority)
        self.api.admission.mutate_with(PVC.key, ["CREATE"], self.with_storage)

    def with_priority(self, review: Review) -> Object:
        """The pod with the number its priority class stands for; raises 403 for a class that does not exist."""
        spec = review.obj["spec"]
        name = spec.get("priorityClassName")
        if name:
            found = self.api.find(PRIORITY_CLASS, "", name)
            if found is None:
                why = f"no PriorityClass with name {name} was found"
                raise forbidden(POD, review.obj["metadata"].get("name", ""), why)
        else:
            classes = self.api.list(PRIORITY_CLASS)
            found = max((each for each in classes if each.get("globalDefault")), key=_value, default=None)
        if found is None:
            return {**review.obj, "spec": {**spec, "priority": 0}}
        priority = {
            "priorityClassName": found["metadata"]["name"],
            "priority": found["value"],
            "preemptionPolicy": found["preemptionPolicy"],
        }
        return {**review.obj, "spec": {**spec, **priority}}

    def with_storage(self, review: Review) -> Object:
        """The claim with the default storage class if it names none, and protected while it is used."""
        claim, spec = review.obj, review.obj["spec"]
        if "storageClassName" not in spec:
            defaults = [each for each in self.api.list(STORAGE_CLASS) if _is_default(each)]
            if defaults:
                newest = max(defaults, key=lambda each: each["metadata"]["creationTimestamp"])
                spec = {**spec, "storageClassName": newest["metadata"]["name"]}
        finalizers = [name for name in claim["metadata"].get("finalizers") or () if name != PROTECTION]
        return {**claim, "spec": spec, "metadata": {**claim["metadata"], "finalizers": [*finalizers, PROTECTION]}}


def _value(priority_class: Object) -> int:
    value: int = priority_class["value"]
    return value


def _is_default(storage_class: Object) -> bool:
    return bool((storage_class["metadata"].get("annotations") or {}).get(_IS_DEFAULT) == "true")
