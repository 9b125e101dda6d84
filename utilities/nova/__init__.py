"""Verbs and nouns of Nova and Placement, as their administrator.

Importing this package does not import openstacksdk (2 s); connecting does.
"""

from utilities.nova.connection import Cloud, connect_cloud
from utilities.nova.hosts import Host, Hosts
from utilities.nova.migrations import Attempt, Migrations
from utilities.nova.nova import Nova, connected_nova
from utilities.nova.recording import NovaRecorded, nova_recording
from utilities.nova.server import Server, State
from utilities.nova.servers import Servers, lost_if_gone, lost_in_error
from utilities.nova.templates import Template, chosen
from utilities.nova.traits import Traits

__all__ = [
    "Attempt",
    "Cloud",
    "Host",
    "Hosts",
    "Migrations",
    "Nova",
    "NovaRecorded",
    "Server",
    "Servers",
    "State",
    "Template",
    "Traits",
    "chosen",
    "connect_cloud",
    "connected_nova",
    "lost_if_gone",
    "lost_in_error",
    "nova_recording",
]
