"""Names that a run writes and the sign-off reads: Allure labels, files, and keys of environment.properties.

The one place where both meet; `utilities.plugin` is not imported, so that old results stay readable without it.
Keys are compared without regard to case, and dots, blanks and underscores are the same.
"""

RESULTS = "*-result.json"
UNFINISHED = "*-result.json.tmp"  # allure-pytest renames a result once it is whole
ENVIRONMENT = "environment.properties"
ALLURE = "allure"  # folder of the Allure results in a run's folder
LEDGER = "verdicts.json"  # the run's own list of what ran, beside that folder

SCENARIO, FEATURE, SEVERITY, TAG = "story", "feature", "severity", "tag"
QUARANTINED = "quarantined"

TARGET = "Target"
TARGET_KIND = "Target kind"  # lab | cluster; without it the word "lab" in the target's name decides
PLAN = "Plan"  # `Plan.<path>=sha256:<hex>`, or one `Plan revisions` with several paths
SUITE, OWNER, JOB = "Suite revision", "Run by", "Job"
SHARD = "Shard"  # `INDEX/COUNT`, index from 0: the run is one part of several (pytest --shard)
LEFTOVERS = "Left behind"  # objects that the run should have deleted and did not

PLATFORM = ("OpenShift", "OCP")
PLATFORM_ON_LAB = (*PLATFORM, "Kubernetes")  # the lab serves plain Kubernetes
VIRTUALIZATION = ("OpenShift Virtualization", "HyperConverged")
VIRTUALIZATION_ON_LAB = (*VIRTUALIZATION, "KubeVirt")
VERSIONS = "OCP & OpenShift Virtualization Version(s)"  # the field of II.3

ENVIRONMENT_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (VERSIONS, (*PLATFORM_ON_LAB, *VIRTUALIZATION_ON_LAB)),
    ("Cluster Topology", ("Topology", "Nodes", "Lab profile")),
    ("CPU Virtualization", ("CPU",)),
    ("Compute Resources", ("Compute",)),
    ("Special Hardware", ("GPU", "GPU model", "GPU profile", "mdev type", "Host driver", "Guest driver")),
    ("Storage", ("Storage class",)),
    ("Network", ("Network",)),
    ("Required Operators", ("Operators", "OpenStack", "Hypervisor operator")),
    ("Platform", ("Platform", "Node OS", "Node kernel")),
    ("Special Configurations", ("Configuration", "Feature gate", "Gate", "Lab faults")),
)
"""Which recorded keys answer which field of Section II.3."""
