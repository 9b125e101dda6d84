"""Labels, annotations, conditions and phases of migrations, spelt as the product spells them (kubevirt sheet §4)."""

from __future__ import annotations

UNSET = ""
PENDING = "Pending"
SCHEDULING = "Scheduling"
SCHEDULED = "Scheduled"
PREPARING_TARGET = "PreparingTarget"
TARGET_READY = "TargetReady"
RUNNING = "Running"
SUCCEEDED = "Succeeded"
FAILED = "Failed"

FINAL = frozenset({SUCCEEDED, FAILED})
BEFORE_HAND_OFF = frozenset({UNSET, PENDING, SCHEDULING, SCHEDULED})
HANDED_OFF = frozenset({PREPARING_TARGET, TARGET_READY, RUNNING})
ACTIVE = frozenset({SCHEDULING, SCHEDULED}) | HANDED_OFF  # hold a slot of the parallelism limits (sheet §6)

PRE_COPY = "PreCopy"
POST_COPY = "PostCopy"
PAUSED = "Paused"

ABORTING = "Aborting"
ABORT_SUCCEEDED = "Succeeded"
ABORT_FAILED = "Failed"

VMI_NAME_LABEL = "kubevirt.io/vmi-name"
CREATED_BY_LABEL = "kubevirt.io/created-by"
JOB_UID_LABEL = "kubevirt.io/migrationJobUID"
NODE_NAME_LABEL = "kubevirt.io/nodeName"
TARGET_NODE_LABEL = "kubevirt.io/migrationTargetNodeName"
OUTDATED_IMAGE_LABEL = "kubevirt.io/outdatedLauncherImage"

FINALIZER = "kubevirt.io/migrationJobFinalize"
OBSERVED_ANNOTATIONS = ("kubevirt.io/latest-observed-api-version", "kubevirt.io/storage-observed-api-version")
EVACUATION_ANNOTATION = "kubevirt.io/evacuationMigration"
WORKLOAD_UPDATE_ANNOTATION = "kubevirt.io/workloadUpdateMigration"
IGNORE_BACKOFF_ANNOTATION = "kubevirt.io/func-test-ignore-migration-backoff"
UNSCHEDULABLE_TIMEOUT_ANNOTATION = "kubevirt.io/migrationUnschedulablePodTimeoutSeconds"
PENDING_TIMEOUT_ANNOTATION = "kubevirt.io/migrationPendingPodTimeoutSeconds"
UTILITY_VOLUMES_TIMEOUT_ANNOTATION = "kubevirt.io/migrationUtilityVolumesTimeoutSeconds"
FORCE_FAILURE_ANNOTATION = "kubevirt.io/func-test-force-launcher-migration-failure"
BLOCK_TARGET_ANNOTATION = "kubevirt.io/func-test-block-migration-target-preparation"
TARGET_READY_ANNOTATION = "kubevirt.io/migration-target-ready-timestamp"
EVICTION_SOURCE_ANNOTATION = "kubevirt.io/eviction-source"
MEMORY_OVERHEAD_ANNOTATION = "kubevirt.io/memory-overhead-bytes"

ABORT_REQUESTED = "migrationAbortRequested"
REJECTED_BY_QUOTA = "migrationRejectedByResourceQuota"
BLOCKED_BY_UTILITY_VOLUMES = "migrationBlockedByUtilityVolumes"
