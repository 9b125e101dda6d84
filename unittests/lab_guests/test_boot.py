"""Booting, cloud-init and the guest agent."""

import pytest

from lab.guests import FEDORA, RHEL, UserData, UserDataError, host_key, parse_user_data

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample someone"


def test_user_data_of_a_fedora_vm_is_understood():
    data = parse_user_data(
        f"""#cloud-config
user: fedora
password: secret
chpasswd: {{ expire: False }}
ssh_pwauth: True
ssh_authorized_keys:
  - {KEY}
runcmd:
  - sudo systemctl enable sshd
  - [touch, "/var/log/a b"]
hostname: vgpu
write_files:
  - path: /etc/x
    content: text
    permissions: '0600'
"""
    )

    assert (data.user, data.password, data.password_expires) == ("fedora", "secret", False)
    assert data.ssh_password_login
    assert data.authorized_keys == (KEY,)
    assert data.run_commands == ("sudo systemctl enable sshd", ("touch", "/var/log/a b"))
    assert data.hostname == "vgpu"
    assert (data.files[0].path, data.files[0].content, data.files[0].mode) == ("/etc/x", "text", 0o600)


@pytest.mark.parametrize("text", [None, "", "  \n", "#cloud-config\n", "#cloud-config\n{}"])
def test_no_user_data_is_the_image_as_it_is(text):
    assert parse_user_data(text) == UserData()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("user: fedora", "neither #cloud-config nor #!"),
        ("#cloud-config\nuser: [", "not YAML"),
        ("#cloud-config\n- a", "a mapping is expected, not list"),
        ("#cloud-config\npackages: [nginx]", "key 'packages' is not simulated"),
        ("#cloud-config\nruncmd: ls", "runcmd: a list is expected, not str"),
        ("#cloud-config\nssh_pwauth: maybe", "'maybe' is neither yes nor no"),
        ("#cloud-config\nchpasswd: {list: x}", "chpasswd: only `expire` is simulated"),
        ("#cloud-config\nuser: {name: a, uid: 3}", "user: only `name` is simulated"),
        ("#cloud-config\nwrite_files: [{path: /x, permissions: rw}]", "'rw' are not octal"),
        ("#cloud-config\nwrite_files: [{content: x}]", "only path, content, permissions and owner"),
    ],
)
def test_other_user_data_is_refused(text, message):
    with pytest.raises(UserDataError, match=message.replace("[", r"\[")):
        parse_user_data(text)


def test_boot_takes_its_time(new_guest, clock):
    guest = new_guest()
    assert (guest.running, guest.booted, guest.agent_connected(), guest.ssh_reachable) == (True, False, False, False)
    clock.advance(19.9)
    assert not guest.booted
    clock.advance(0.1)
    assert (guest.booted, guest.agent_connected(), guest.ssh_reachable) == (True, True, True)


def test_commands_run_as_root_after_the_boot_and_only_once(new_guest, clock):
    slow = ("sh", "-c", "sleep 5; echo slow >> /root/ran")
    guest = new_guest(user_data=UserData(run_commands=("echo $(id -u) >> /root/ran", slow, "nosuch")))
    clock.advance(21)
    assert guest.run("cloud-init status").text == "status: running\n"
    waiting = guest.run("cloud-init status --wait")
    clock.advance(10)

    assert waiting.text == "status: done\n"
    assert guest.read_file("/root/ran") == b"0\nslow\n"
    assert b"nosuch: command not found" in guest.read_file("/var/log/cloud-init-output.log")
    guest.reboot()
    clock.advance(60)
    assert guest.read_file("/root/ran") == b"0\nslow\n"


def test_user_script_runs(new_guest, clock):
    guest = new_guest(user_data=parse_user_data("#!/bin/sh\necho script > /root/ran\n"))
    clock.advance(30)
    assert guest.read_file("/root/ran") == b"script\n"


def test_files_and_keys_are_written(new_guest, clock):
    data = parse_user_data(
        f"#cloud-config\nuser: tester\nssh_authorized_keys: ['{KEY}']\n"
        "write_files: [{path: /opt/a, content: text, owner: 'tester:tester'}]"
    )
    guest = new_guest(user_data=data)
    clock.advance(30)

    assert guest.user == "tester"
    assert guest.authorized_keys("tester") == [KEY]
    assert guest.run("id -un; pwd; stat -c %U /opt/a; stat -c %a .ssh/authorized_keys").text == (
        "tester\n/home/tester\ntester\n600\n"
    )
    with pytest.raises(UserDataError, match="no account 'nobody'"):
        new_guest(user_data=parse_user_data("#cloud-config\nwrite_files: [{path: /a, owner: nobody}]"))


def test_agent_reports_the_system(guest, new_guest):
    info = guest.guest_os_info()
    assert info["prettyName"] == FEDORA.pretty_name
    assert (info["id"], info["kernelRelease"], info["versionId"]) == ("fedora", FEDORA.kernel, "41")
    assert new_guest(image=RHEL).guest_os_info()["id"] == "rhel"


def test_machine_is_made_of_its_seed_and_name(new_guest):
    first, same, other, elsewhere = new_guest(), new_guest(), new_guest(name="vm-2"), new_guest(seed=7)

    assert (first.boot_id, host_key(first)) == (same.boot_id, host_key(same))
    assert len({host_key(machine) for machine in (first, other, elsewhere)}) == 3
    key = host_key(first)
    first.reboot()
    assert host_key(first) == key
    assert first.boot_id != same.boot_id
