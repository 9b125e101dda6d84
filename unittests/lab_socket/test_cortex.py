"""What a real Cortex asked of Kubernetes, and what it answered, which the simulated one must answer too."""

from pathlib import Path

from unittests.lab_socket.conversation import Conversation
from unittests.lab_socket.doctored import unnoticed

HERE = Path(__file__).parent


def test_a_real_cortex_is_answered_as_it_needs(cortex_kubernetes):
    line, token = cortex_kubernetes
    conversation = Conversation(sorted((HERE / "cortex_kubernetes").glob("*.yaml")), line, {"token": token})
    conversation.speak()
    assert unnoticed(conversation.heard) == []


def test_the_simulated_one_answers_as_a_real_one_did(cortex_doors):
    doors, token = cortex_doors
    conversation = Conversation([HERE / "cortex/answers.yaml"], doors, {"token": token})
    conversation.speak()
    assert unnoticed(conversation.heard) == []
