"""The shape of a cloud as data: hosts, flavors, servers, how Nova is configured."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Disk = Literal["volume", "shared", "local"]
State = Literal["active", "stopped", "paused", "suspended", "error"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FlavorShape(_Strict):
    """A flavor."""

    id: str
    name: str
    vcpus: int = Field(ge=1)
    ram: int = Field(ge=1, description="MiB")
    disk: int = Field(default=0, ge=0, description="GiB")
    extra_specs: dict[str, str] = Field(default_factory=dict)


class HostShape(_Strict):
    """A compute service and its one hypervisor."""

    name: str = Field(description="host of the nova-compute service")
    domain: str = Field(default="lab.internal", description='the hypervisor is called NAME.DOMAIN; "" for NAME alone')
    zone: str = "nova"
    vcpus: int = Field(default=64, ge=1)
    ram: int = Field(default=524_288, ge=1, description="MiB")
    disk: int = Field(default=4_000, ge=1, description="GiB")
    cpu_ratio: float = Field(default=4.0, ge=1)
    traits: tuple[str, ...] = ()


class ServerShape(_Strict):
    """Servers that exist from the start, all alike; with a count above one they are called NAME-1, NAME-2 and so on."""

    name: str
    count: int = Field(default=1, ge=1)
    host: str
    flavor: str = Field(default="m1.medium", description="name of a flavor")
    project: str = Field(default="demo", description="name of a project of the default domain")
    state: State = "active"
    disk: Disk = "volume"
    group: str | None = Field(default=None, description="name of a server group")


class GroupShape(_Strict):
    """A server group."""

    name: str
    policy: Literal["affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"]
    project: str = "demo"


class AggregateShape(_Strict):
    """A host aggregate."""

    name: str
    hosts: tuple[str, ...] = ()
    zone: str | None = None
    metadata: dict[str, str] = Field(default_factory=dict)


class NovaOptions(_Strict):
    """Options of nova.conf that shape a drain, by their names there (openstack sheet §5)."""

    microversion: Literal["2.90", "2.95"] = Field(default="2.95", description="maximum that is advertised and served")
    max_concurrent_live_migrations: int = Field(default=1, ge=0, description="per source; 0: no limit")
    live_migration_completion_timeout: int = Field(default=800, ge=0, description="seconds per GiB; 0: no limit")
    live_migration_timeout_action: Literal["abort", "force_complete"] = "abort"
    live_migration_permit_post_copy: bool = False
    live_migration_permit_auto_converge: bool = False
    live_migration_downtime: int = Field(default=500, ge=100, description="milliseconds")
    resize_confirm_window: int = Field(default=0, ge=0, description="seconds until a resize is confirmed; 0: never")
    max_limit: int = Field(default=1000, ge=1, description="servers or records on a page")
    console_output: bool = Field(default=True, description="false: the driver has no console log, answers are 501")
    record_lag: float = Field(
        default=0.0, ge=0, description="seconds from the arrival to the end of the record; 0: one step"
    )
    status_lag: float = Field(
        default=0.0, ge=0, description="seconds for which a server that is to move has the task, not yet the status"
    )


class CloudShape(_Strict):
    """A whole cloud."""

    region: str = "lab"
    nova: NovaOptions = NovaOptions()
    flavors: tuple[FlavorShape, ...] = (
        FlavorShape(id="1", name="m1.tiny", vcpus=1, ram=512, disk=1),
        FlavorShape(id="3", name="m1.medium", vcpus=2, ram=4096, disk=40),
        FlavorShape(id="5", name="m1.xlarge", vcpus=8, ram=16384, disk=160),
    )
    hosts: tuple[HostShape, ...]
    groups: tuple[GroupShape, ...] = ()
    servers: tuple[ServerShape, ...] = ()
    aggregates: tuple[AggregateShape, ...] = ()
    migration_bandwidth: int = Field(default=1_258_291_200, ge=1, description="bytes per second of one migration")
    dirty_rate: int = Field(default=1_048_576, ge=0, description="bytes per second that an idle guest dirties")
    token_lifetime: float = Field(default=3600.0, gt=0, description="seconds")
