"""The programs that a guest is inspected with."""

import re

import pytest

from lab.guests import FEDORA_WITHOUT_DRIVER, RHEL, Gpu

UUID = "3f1c2d4e-0000-4000-8000-0123456789ab"
T4_2Q = Gpu("10de:1eb8", "GRID T4-2Q", UUID)
WHOLE_T4 = Gpu("10de:1eb8", "Tesla T4", UUID, passthrough=True)
NVIDIA_CONTROLLERS = '/sbin/lspci -nnk | grep -E "controller.+NVIDIA" | wc -l'


@pytest.fixture
def run(new_guest, clock):
    """Runs a command in a guest with the given GPU; returns output and status."""

    def run_with(command, gpu=None, after=None, **settings):
        guest = new_guest(gpu=gpu, **settings)
        clock.advance(30)
        if after is not None:
            after(guest)
        job = guest.run(command)
        return job.text, job.status

    return run_with


@pytest.mark.parametrize(("gpu", "count"), [(None, "0\n"), (T4_2Q, "1\n"), (WHOLE_T4, "1\n")])
def test_lspci_counts_nvidia_controllers(run, gpu, count):
    assert run(NVIDIA_CONTROLLERS, gpu)[0] == count


def test_lspci_shows_a_vgpu_as_vga_and_a_card_as_3d_controller(run):
    vgpu, _ = run("lspci -nnk -d 10de:", T4_2Q)
    card, _ = run("lspci -nn -d 10de:1eb8", WHOLE_T4)

    assert vgpu.splitlines()[0] == (
        "09:00.0 VGA compatible controller [0300]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1)"
    )
    assert "\tKernel driver in use: nvidia\n" in vgpu
    assert card.startswith("09:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8]")


def test_lspci_shows_the_virtio_devices(run):
    output, _ = run("lspci")

    assert "00:00.0 Host bridge: Intel Corporation 82G33/G31/P35/P31 Express DRAM Controller\n" in output
    assert "01:00.0 Ethernet controller: Red Hat, Inc. Virtio 1.0 network device (rev 01)\n" in output


def test_nvidia_smi_answers(run):
    assert run("nvidia-smi -L", T4_2Q) == (f"GPU 0: GRID T4-2Q (UUID: GPU-{UUID})\n", 0)
    assert run("nvidia-smi --query-gpu=name,uuid --format=csv,noheader", T4_2Q) == (f"GRID T4-2Q, GPU-{UUID}\n", 0)
    assert run("nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits", T4_2Q) == ("2048\n", 0)
    table, status = run("nvidia-smi", T4_2Q)
    assert status == 0
    assert "Driver Version: 550.90.07" in table
    assert {len(line) for line in table.splitlines()[1:] if line} == {91}


@pytest.mark.parametrize("command", ["nvidia-smi", "nvidia-smi -L"])
def test_nvidia_smi_after_faults(run, command):
    text, status = run(command, T4_2Q, after=lambda guest: guest.driver_dies())
    assert status == 9
    assert "couldn't communicate with the NVIDIA driver" in text
    assert run(command, T4_2Q, after=lambda guest: guest.lose_gpu()) == ("No devices were found\n", 6)
    assert run(command) == ("No devices were found\n", 6)


def test_lost_gpu_is_off_the_bus_and_a_dead_driver_is_not(run):
    assert run(NVIDIA_CONTROLLERS, T4_2Q, after=lambda guest: guest.lose_gpu())[0] == "0\n"
    assert run(NVIDIA_CONTROLLERS, T4_2Q, after=lambda guest: guest.driver_dies())[0] == "1\n"


def test_image_without_driver_has_no_nvidia_smi(run):
    assert run("nvidia-smi", T4_2Q, image=FEDORA_WITHOUT_DRIVER)[1] == 127
    assert run(NVIDIA_CONTROLLERS, T4_2Q, image=FEDORA_WITHOUT_DRIVER)[0] == "1\n"
    assert run("grep -c nvidia /proc/modules", T4_2Q, image=FEDORA_WITHOUT_DRIVER)[0] == "0\n"
    assert run("grep -c '^nvidia ' /proc/modules", T4_2Q)[0] == "1\n"


def test_sysfs_has_the_gpu(run):
    text, _ = run("grep -l 0x10de /sys/bus/pci/devices/*/vendor", T4_2Q)
    assert text == "/sys/bus/pci/devices/0000:09:00.0/vendor\n"


def test_system_is_what_the_image_says(run):
    assert run(". /etc/os-release; echo $ID $VERSION_ID; uname -r; hostname") == (
        "fedora 41\n6.11.4-301.fc41.x86_64\nvm-1\n", 0
    )  # fmt: skip
    assert run(". /etc/os-release; echo $ID; id -un", image=RHEL)[0] == "rhel\ncloud-user\n"


def test_process_files_agree_with_ps(guest, clock):
    pid = int(guest.run("nohup sleep 1000 >/dev/null 2>&1 & echo $!").text)
    clock.advance(75)

    stat = guest.read_file(f"/proc/{pid}/stat").decode()
    fields = stat.rpartition(")")[2].split()
    assert stat.startswith(f"{pid} (sleep) S ")
    assert len(stat.split()) == 52
    assert int(fields[19]) == 2000  # field 22, clock ticks: it was started when the boot had taken 20 s
    assert guest.run(f"ps -o etimes=,lstart= -p {pid}").text.split(maxsplit=1) == ["75", "Thu Jan  1 00:00:20 2026\n"]
    assert guest.read_file(f"/proc/{pid}/cmdline") == b"sleep\x001000\x00"
    assert f"Pid:\t{pid}\n" in guest.read_file(f"/proc/{pid}/status").decode()
    assert guest.run("ls /proc | grep -x " + str(pid)).text == f"{pid}\n"
    assert guest.run("readlink /proc/self; cat /proc/self/comm").text == "cat\n"


def test_ps_lists_system_and_own_processes(guest):
    everything = guest.run("ps -e -o pid=,comm=").text.splitlines()
    assert everything[0].split() == ["1", "systemd"]
    assert {"sshd", "qemu-ga", "kthreadd", "ps"} <= {line.split()[1] for line in everything}
    header, *rows = guest.run("ps aux").text.splitlines()
    assert header.split()[:2] == ["USER", "PID"]
    assert rows[0].startswith("root ")
    assert guest.run("ps -p 99999").status == 1


def test_pgrep_matches_names_and_command_lines(guest):
    guest.run("echo 'sleep 100' > /tmp/hold.sh; nohup sh /tmp/hold.sh a b >/dev/null 2>&1 &")

    assert guest.run("pgrep -x slee").status == 1
    assert guest.run("pgrep slee").status == 0
    assert guest.run("pgrep -f 'hold.sh a b'").status == 0
    assert guest.run("pgrep -fc hold.sh").text == "1\n"
    assert guest.run("pkill -x sleep; pgrep -x sleep").status == 1


def test_files_in_memory_count_as_memory(guest, clock):
    before = guest.run("free -b").text.split()
    guest.run("dd if=/dev/zero of=/dev/shm/x bs=1M count=256 2>/dev/null")
    clock.advance(1)
    after = guest.run("free -b").text.split()

    assert int(after[10]) - int(before[10]) == 256 << 20  # shared
    assert re.search(r"Shmem: +262144 kB", guest.read_file("/proc/meminfo").decode())


def test_memory_is_full_when_it_is_full(guest, clock):
    job = guest.run("dd if=/dev/zero of=/dev/shm/x bs=1M count=1500")
    clock.advance(5)

    assert job.status == 1
    assert job.stderr.decode() == "dd: error writing '/dev/shm/x': No space left on device\n"


def test_bulk_data_reads_the_same_every_time(guest, clock):
    guest.run("dd if=/dev/urandom of=/dev/shm/x bs=1M count=3 2>/dev/null")
    clock.advance(1)
    first = guest.run("sha256sum /dev/shm/x").text
    guest.run("cp /dev/shm/x /tmp/y")

    assert guest.run("sha256sum /dev/shm/x").text == first
    assert guest.run("sha256sum < /tmp/y").text.split()[0] == first.split()[0]
    guest.run("dd if=/dev/urandom of=/dev/shm/x bs=1M count=1 conv=notrunc 2>/dev/null")
    clock.advance(1)
    assert guest.run("stat -c %s /dev/shm/x").text == f"{3 << 20}\n"
    assert guest.run("sha256sum /dev/shm/x").text != first


def test_systemctl_shows_and_changes_units(guest):
    assert guest.run("systemctl is-active sshd qemu-guest-agent nosuch").text == "active\nactive\ninactive\n"
    assert guest.run("systemctl start qemu-guest-agent").status == 1
    assert guest.agent_connected()
    assert guest.run("sudo systemctl stop qemu-guest-agent; systemctl is-active qemu-guest-agent").status == 3
    assert not guest.agent_connected()
    assert guest.run("sudo systemctl enable --now qemu-guest-agent").status == 0
    assert guest.agent_connected()
    assert guest.run("sudo systemctl start nosuch").status == 5


def test_date_follows_the_guest_clock(guest, clock):
    clock.advance(0.25)
    assert guest.run("date +%s.%N; date +%s%N; date -u '+%F %T'").text == (
        "1767225620.250000000\n1767225620250000000\n2026-01-01 00:00:20\n"
    )
    assert guest.run("cut -d' ' -f1 /proc/uptime; who -b; uptime -s").text == (
        "20.25\n         system boot  2026-01-01 00:00\n2026-01-01 00:00:00\n"
    )
