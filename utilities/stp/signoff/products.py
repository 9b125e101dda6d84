"""The two products under test: the versions that the plan promises, and those that a run recorded."""

from dataclasses import dataclass

from utilities.stp.plan import Plan
from utilities.stp.signoff import names
from utilities.stp.signoff.facts import Facts
from utilities.stp.versions import platform_version, virtualization_version


@dataclass(frozen=True, slots=True)
class Product:
    """promised: as II.3 says, None when it says nothing; recorded: "" when the run recorded none."""

    name: str
    promised: str | None
    recorded: str

    @property
    def needed(self) -> bool:
        """Whether the plan needs this product at all."""
        return self.promised != "N/A"


def products(plan: Plan, facts: Facts) -> tuple[Product, Product]:
    """OCP and OpenShift Virtualization.  On the lab, which has neither, what it stands for counts."""
    promise = next((field.content.flat for field in plan.environment if field.name == names.VERSIONS), "")
    lab = facts.on_lab is not False
    platform = names.PLATFORM_ON_LAB if lab else names.PLATFORM
    virtualization = names.VIRTUALIZATION_ON_LAB if lab else names.VIRTUALIZATION
    return (
        Product("OCP", platform_version(promise), facts.version(*platform)),
        Product("OpenShift Virtualization", virtualization_version(promise), facts.version(*virtualization)),
    )


def missing_versions(plan: Plan, facts: Facts) -> tuple[str, ...]:
    """The products that the plan needs and of which the run recorded no version."""
    return tuple(each.name for each in products(plan, facts) if each.needed and not each.recorded)
