"""Filters by the project the VM belongs to (Cortex sheet §1.3)."""

from __future__ import annotations

from lab.cortex.scheduling.filters.known import keep_unless
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.intents import PROBING, intent_of
from lab.cortex.scheduling.steps import Answered, Asked, Step, everyone

_TENANTS = "filter_tenant_id"


def _allowed_projects(asked: Asked) -> Answered:
    project = asked.request.project
    if not project or intent_of(asked.request) in PROBING:
        return everyone(asked)
    return keep_unless(asked, lambda host: bool(host.allowed_projects) and project not in host.allowed_projects)


def _aggregate_metadata(asked: Asked) -> Answered:
    if intent_of(asked.request) in PROBING:
        return everyone(asked)

    def barred(host: Host) -> bool:
        projects = _projects(host)
        return bool(projects) and asked.request.project not in projects

    return keep_unless(asked, barred)


def _projects(host: Host) -> set[str]:
    """Projects that the host's aggregates are for: keys may be numbered, values may be lists."""
    return {
        project.strip()
        for aggregate in host.aggregates
        for key, value in aggregate.metadata.items()
        if key.startswith(_TENANTS)
        for project in value.split(",")
        if project.strip()
    }


ALLOWED_PROJECTS = Step("filter_allowed_projects", _allowed_projects)
AGGREGATE_METADATA = Step("filter_aggregate_metadata", _aggregate_metadata)
