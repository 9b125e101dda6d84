"""Who the components of KubeVirt and HCO are when they write: their service accounts."""

from __future__ import annotations

from dataclasses import dataclass

from lab.apiserver.admission import Caller

_ADMIN = ("system:masters", "system:serviceaccounts", "system:authenticated")


@dataclass(frozen=True, slots=True)
class Callers:
    """Service accounts in the namespace the product is installed in."""

    namespace: str

    @property
    def api(self) -> Caller:
        """virt-api."""
        return self._account("kubevirt-apiserver", "virt-api")

    @property
    def controller(self) -> Caller:
        """virt-controller."""
        return self._account("kubevirt-controller", "virt-controller")

    @property
    def handler(self) -> Caller:
        """virt-handler, on any node."""
        return self._account("kubevirt-handler", "virt-handler")

    @property
    def operator(self) -> Caller:
        """virt-operator."""
        return self._account("kubevirt-operator", "virt-operator")

    @property
    def hco(self) -> Caller:
        """The HyperConverged cluster operator."""
        return self._account("hyperconverged-cluster-operator", "hyperconverged-cluster-operator")

    def is_kubevirt(self, caller: Caller) -> bool:
        """Whether a writer is one of the accounts that may change VMI specs and reserved labels."""
        return caller.user in (self.api.user, self.controller.user, self.handler.user)

    def _account(self, name: str, manager: str) -> Caller:
        groups = (f"system:serviceaccounts:{self.namespace}", *_ADMIN)
        return Caller(f"system:serviceaccount:{self.namespace}:{name}", groups, manager)
