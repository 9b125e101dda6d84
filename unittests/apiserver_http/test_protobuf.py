"""Protobuf bodies against the sheet's vectors, and the rules of sheet §1.6."""

import pytest

from lab.apiserver.errors import ApiError
from lab.apiserver.protobuf.decoding import decode

NAMESPACE = "6b3873000a0f0a02763112094e616d657370616365121a0a120a026e6e12001a0022002a0032003800420012001a020a001a002200"
LEASE = (
    "6b3873000a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c6561736512390a130a026c3112001a017422002a00"
    "32003800420012220a026d65100f1a0b0880f2d6ca061080e59a77220b0880f2d6ca061080e59a7728001a002200"
)
EVENT = (
    "6b3873000a0b0a02763112054576656e74126b0a1b0a046e312e3112001a0764656661756c7422002a0032003800420012180a044e6f"
    "646512001a026e31220275312a02763132003a001a015222016d2a050a0163120032080880f2d6ca0610003a080880f2d6ca06100040"
    "014a064e6f726d616c520062007201637a001a002200"
)
NEW_EVENT = (
    "6b3873000a190a106576656e74732e6b38732e696f2f763112054576656e74125b0a1b0a046e312e3212001a0764656661756c742200"
    "2a00320038004200120b0880f2d6ca061080e59a772201632a01693201413a015242180a044e6f646512001a026e31220275312a0276"
    "3132003a0052016d5a064e6f726d616c1a002200"
)
DELETE_OPTIONS = "6b3873000a130a027631120d44656c6574654f7074696f6e73120e0800220a4261636b67726f756e641a002200"


def body(text: str) -> bytes:
    return bytes.fromhex(text)


def varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value & 0xFFFF_FFFF_FFFF_FFFF)
    return varint(number << 3 | 2) + varint(len(value)) + value


def envelope(api_version: str, kind: str, raw: bytes) -> bytes:
    return b"k8s\x00" + field(1, field(1, api_version.encode()) + field(2, kind.encode())) + field(2, raw)


def test_a_namespace_as_kubectl_sends_it():
    assert decode(body(NAMESPACE)) == {
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "nn"}, "spec": {}, "status": {},
    }  # fmt: skip


def test_a_lease_keeps_zero_of_pointer_fields_and_six_decimals():
    assert decode(body(LEASE))["spec"] == {
        "holderIdentity": "me", "leaseDurationSeconds": 15, "leaseTransitions": 0,
        "acquireTime": "2026-01-01T00:00:00.250000Z", "renewTime": "2026-01-01T00:00:00.250000Z",
    }  # fmt: skip


def test_a_core_event_drops_empty_fields_go_would_omit():
    event = decode(body(EVENT))
    assert event["involvedObject"] == {"kind": "Node", "name": "n1", "uid": "u1", "apiVersion": "v1"}
    assert (event["count"], event["firstTimestamp"], event["reportingInstance"]) == (1, "2026-01-01T00:00:00Z", "")


def test_an_event_of_the_newer_group():
    event = decode(body(NEW_EVENT))
    assert event["regarding"]["name"] == "n1"
    assert (event["note"], event["eventTime"]) == ("m", "2026-01-01T00:00:00.250000Z")


def test_delete_options_come_under_any_api_version():
    assert decode(body(DELETE_OPTIONS))["gracePeriodSeconds"] == 0
    assert decode(envelope("policy/v1", "DeleteOptions", field(4, b"Orphan")))["propagationPolicy"] == "Orphan"


def test_maps_bytes_quantities_and_inlined_messages():
    secret = decode(envelope("v1", "Secret", field(2, field(1, b"k") + field(2, b"\x00v"))))
    assert secret["data"] == {"k": "AHY="}
    limits = field(1, field(1, b"cpu") + field(2, field(1, b"250m")))
    probe = field(1, field(3, field(1, field(1, 1) + field(3, b"web")))) + field(2, 5)
    container = field(1, b"c") + field(8, limits) + field(10, probe)
    pod = decode(envelope("v1", "Pod", field(2, field(2, container))))
    shown = pod["spec"]["containers"][0]
    assert shown["resources"]["limits"] == {"cpu": "250m"}
    assert shown["livenessProbe"] == {"tcpSocket": {"port": "web"}, "initialDelaySeconds": 5}


def test_negative_numbers_are_ten_byte_varints():
    priority = decode(envelope("scheduling.k8s.io/v1", "PriorityClass", field(2, -5)))
    assert priority["value"] == -5


def test_an_unknown_kind_is_refused_by_name():
    with pytest.raises(ApiError) as refusal:
        decode(envelope("kvm.cloud.sap/v1", "Hypervisor", b""))
    assert refusal.value.code == 415
    assert "Hypervisor" in refusal.value.message


@pytest.mark.parametrize("broken", [b"{}", body(LEASE)[:-3], b"k8s\x00\x0f", b"k8s\x00" + b"\xff" * 12])
def test_malformed_bytes_are_a_bad_request(broken):
    with pytest.raises(ApiError) as refusal:
        decode(broken)
    assert refusal.value.code == 400
