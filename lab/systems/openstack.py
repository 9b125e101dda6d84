"""OpenStack: plain HTTP on a loopback address, because operators' binaries read no certificate of it."""

from __future__ import annotations

from lab.systems.system import Lab, Started, System

CLOUD = "lab"  # of clouds.yaml: the administrator
TIMEOUTS = {"drain": 600}
"""Product seconds. Servers of the lab move fast, and one that never goes is not to be waited for long."""


async def _start(lab: Lab) -> Started:
    from lab.openstack.install import install

    shape = lab.profile.openstack
    assert shape is not None
    cloud = install(lab.api.clock, shape, seed=lab.choice.seed, faults=lab.faults)
    clouds = (await cloud.start(lab.directory)).resolve()
    lab.openstack = cloud
    section = {
        "clouds": str(clouds),
        "cloud": CLOUD,
        "config_drive": True,
        "journal": f"{cloud.front.url}/lab/journal",
    }
    tells = (f"openstack: {cloud.front.auth_url}", f"clouds.yaml: {clouds}")
    return Started(site={"openstack": section, "timeouts": TIMEOUTS}, tells=tells, stop=cloud.stop)


SYSTEM = System("openstack", wanted=lambda profile: profile.openstack is not None, start=_start)
