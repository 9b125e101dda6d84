"""Secrets do not survive redaction, in any of the shapes they come in."""

import json

import pytest

from utilities.evidence.redaction import BLOT, redact, redact_text

PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdefgh12345678",
        f"key:\n{PEM}\nend",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJl.c2lnbmF0dXJl",
        "sha256~abcdefghijklmnopqrstuvwxyz0123",
        "X-Auth-Token: gAAAAABn",
        "password: hunter22",
        "--admin-password=hunter22",
        '{"adminPass": "hunter22"}',
        "with gAAAAABnhunter22hunter22hunter22_-x==",
        "OS_PASSWORD=hunter22",
    ],
)
def test_a_secret_in_text_is_blotted_out(text):
    cleaned = redact_text(text)
    assert BLOT in cleaned
    for secret in ("abcdefgh12345678", "b3BlbnNzaC1rZXk", "c2lnbmF0dXJl", "klmnopqrst", "gAAAAABn", "hunter22"):
        assert secret not in cleaned


USER_DATA = "#cloud-config\nuser: fedora\npassword: 'hunter22'\nssh_authorized_keys: [ssh-ed25519 AAAAC3Nza]\n"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"spec": {"cloudInitNoCloud": {"userData": USER_DATA}}, "kept": 1}),
        repr({"spec": {"cloudInitNoCloud": {"userData": USER_DATA}}, "kept": 1}),
        f"kept\n{USER_DATA}",
        "kept, Gateway(url='https://a', token='hunter22')",
        "kept\n  access_token: hunter22",
        "kept {'user_data': 'hunter22'}",
        "kept ssh-ed25519 AAAAC3Nza",
    ],
)
def test_user_data_and_named_values_are_blotted_out_of_text(text):
    cleaned = redact_text(text)
    assert "kept" in cleaned
    assert BLOT in cleaned
    for secret in ("fedora", "hunter22", "AAAAC3Nza"):
        assert secret not in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "the token or certificate is expired or unknown",
        "tokenExpirationSeconds: 3600",
        "VMI qa/a: not Running within 240 s; last seen Scheduling",
        "automountServiceAccountToken: false",
    ],
)
def test_plain_words_stay(text):
    assert redact_text(text) == text


def test_a_key_cut_off_in_the_middle_is_blotted_out_too():
    assert "b3Blb" not in redact_text(PEM[:60])


def test_secret_objects_lose_their_data_and_keep_their_name():
    secret = {"kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "YQ=="}}
    assert redact(secret) == {"kind": "Secret", "metadata": {"name": "s"}, "data": BLOT}


def test_cloud_init_is_removed_at_any_depth():
    vm = {"spec": {"volumes": [{"cloudInitNoCloud": {"userData": "#cloud-config\npassword: x"}}]}}
    assert redact(vm) == {"spec": {"volumes": [{"cloudInitNoCloud": {"userData": BLOT}}]}}


def test_what_is_no_secret_stays_and_the_input_is_not_changed():
    pod = {"kind": "Pod", "data": {"a": 1}, "status": {"phase": "Running", "ready": True, "names": ["x", 2, None]}}
    assert redact(pod) == pod
    assert redact(pod) is not pod


def test_secret_variables_of_a_container_are_blotted_out():
    container = {"env": [{"name": "OS_PASSWORD", "value": "hunter22"}, {"name": "OS_USERNAME", "value": "nova"}]}
    assert redact(container) == {
        "env": [{"name": "OS_PASSWORD", "value": BLOT}, {"name": "OS_USERNAME", "value": "nova"}]
    }
    assert redact({"server": {"adminPass": "hunter22"}}) == {"server": {"adminPass": BLOT}}
