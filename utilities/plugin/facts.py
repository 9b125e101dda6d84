"""What a reader of results must know: on what they were made, with which suite, against which plans."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from utilities.stp import Plan

if TYPE_CHECKING:
    from utilities.clients import Versions
    from utilities.site import Site

NONE = "none"


def of_lab(options: Mapping[str, object]) -> dict[str, str]:
    """That it was a lab: its profile, seed, faults, and what is not as the profile says."""
    told = {
        "Target": "embedded lab (never a release sign-off by itself)",
        "Target kind": "lab",
        "Lab profile": str(options["lab_profile"]),
        "Lab seed": str(options["lab_seed"]),
        "Lab faults": _listed(options["lab_fault"]) or NONE,
    }
    other = {
        "Lab operator": str(options.get("lab_operator") or ""),
        "Lab external": _listed(options.get("lab_external")),
    }
    return told | {name: value for name, value in other.items() if value}


def _listed(values: object) -> str:
    return ", ".join(values) if isinstance(values, list) else ""


def of_site(site: Site, file: str) -> dict[str, str]:
    """Which cluster it was, by the site file."""
    return {"Target": site.name, "Target kind": site.kind, "Site file": Path(file).name}


def of_versions(site: Site, versions: Versions) -> dict[str, str]:
    """What was installed, as the cluster says itself, and what the plans turn on."""
    told = {
        "OpenShift": versions.openshift or NONE,
        "Kubernetes": versions.kubernetes,
        "HyperConverged": versions.hyperconverged or NONE,
        "KubeVirt": versions.kubevirt or NONE,
        "Node OS": ", ".join(versions.node_systems) or NONE,
        "Node kernel": ", ".join(versions.node_kernels) or NONE,
    }
    if site.gpu_section is not None:
        told["GPU profile"] = site.gpu.profile.name
    if versions.kubevirt is not None:
        told["Feature gate"] = site.product.gate_for(versions.kubevirt)
    return told


def of_cloud(microversion: str, operator: str) -> dict[str, str]:
    """The cloud, and the operator that drains its hypervisors."""
    return {"Nova microversion": microversion, "Hypervisor operator": operator}


def of_cortex(site: Site) -> dict[str, str]:
    """The scheduler of the cloud, by what the site file says of it; nothing when there is none."""
    section = site.cortex_section
    if section is None:
        return {}
    where = {"Cortex": section.url} if site.kind == "cluster" else {}  # on a lab each worker has its own
    return {**where, "Cortex revision": section.revision or "not known"}


def of_suite(root: Path, plans: Sequence[Plan]) -> dict[str, str]:
    """Revision of the suite, the exact bytes of each plan, and the Python they ran on."""
    revisions = {f"Plan {plan.path.relative_to(root).as_posix()}": _digest(plan.path) for plan in plans}
    return {"Suite revision": _revision(root), **revisions, "Python": platform.python_version()}


def joined(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Facts of several processes as one; where they differ, all are told."""
    values: dict[str, dict[str, None]] = {}
    for part in parts:
        for name, value in part.items():
            values.setdefault(name, {})[value] = None
    return {name: " and ".join(told) for name, told in values.items()}


def _digest(path: Path) -> str:
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def _revision(root: Path) -> str:
    """The git commit, and whether files differ from it; in an image what its build wrote down, or "unknown"."""
    commit = _git(root, "rev-parse", "HEAD")
    if not commit:
        written = root / "REVISION"
        return written.read_text(encoding="utf-8").strip() if written.is_file() else "unknown"
    return f"{commit} with changes" if _git(root, "status", "--porcelain", "--untracked-files=no") else commit


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
