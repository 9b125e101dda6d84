"""The hypervisor operator's own requests to OpenStack, in the order in which a real one was seen to send them."""

from pathlib import Path

from unittests.lab_socket.conversation import Conversation
from unittests.lab_socket.doctored import unnoticed

ASKED = sorted(Path(__file__).with_name("openstack").glob("*.yaml"))


def test_gophercloud_is_answered_as_it_needs(cloud):
    line, live = cloud
    host = next(host for host in live.cloud.state.hosts.values() if host.name == "node001")
    known = {
        "password": live.variables()["OS_PASSWORD"],
        "hypervisor": host.hypervisor_id,
        "service": host.service_id,
    }
    conversation = Conversation(ASKED, line, known, live.advance)
    conversation.speak()
    assert live.openstack.cloud.state.server(known["one"]).host == known["there"].partition(".")[0] != "node001"
    assert unnoticed(conversation.heard) == []
