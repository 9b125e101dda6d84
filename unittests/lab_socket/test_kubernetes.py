"""The hypervisor operator's own requests to Kubernetes, in the order in which a real one was seen to send them."""

from pathlib import Path

from unittests.lab_socket.conversation import Conversation
from unittests.lab_socket.doctored import unnoticed

ASKED = sorted(Path(__file__).with_name("kubernetes").glob("*.yaml"))


def test_a_real_operator_is_answered_as_it_needs(kubernetes):
    line, token = kubernetes
    conversation = Conversation(ASKED, line, {"token": token})
    conversation.speak()
    assert unnoticed(conversation.heard) == []
