"""What happens between power-on and a system that answers: kernel threads, services, cloud-init."""

import shlex
from collections.abc import Callable

from lab.guests.kernel import Call, Kernel, Service, perform
from lab.guests.process import Process, Routine, Sleep
from lab.guests.userdata import Command

_KERNEL_THREADS = ("[kthreadd]", "[rcu_preempt]", "[kworker/0:0-events]", "[ksoftirqd/0]", "[khugepaged]", "[kswapd0]")
_SCRIPTS = "/var/lib/cloud/instance/scripts"
_FOREVER = 1e9


def services_of(kernel: Kernel) -> dict[str, Service]:
    """The units of the image."""
    services = [
        Service("systemd-journald", ["/usr/lib/systemd/systemd-journald"]),
        Service("dbus-broker", ["/usr/bin/dbus-broker-launch", "--scope", "system", "--audit"]),
        Service("chronyd", ["/usr/sbin/chronyd", "-F", "2"]),
        Service("sshd", ["sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups"]),
    ]
    if kernel.image.agent:
        services.append(Service("qemu-guest-agent", ["/usr/bin/qemu-ga", "--method=virtio-serial"]))
    return {service.name: service for service in services}


def boot(kernel: Kernel, seconds: float, commands: tuple[Command, ...], on_booted: Callable[[], None]) -> None:
    """Start init; after `seconds` of guest time the services run, and cloud-init runs `commands` after that."""
    kernel.services = services_of(kernel)
    init = kernel.spawn(["/usr/lib/systemd/systemd", "--switched-root", "--system"], pid=1)
    for number, name in enumerate(_KERNEL_THREADS):
        kernel.spawn([name], pid=2 + number, parent=2)
    kernel.scheduler.start(init, _init(kernel, seconds, commands, on_booted))


def _init(kernel: Kernel, seconds: float, commands: tuple[Command, ...], on_booted: Callable[[], None]) -> Routine:
    yield Sleep(kernel.time.monotonic() + seconds)
    for name in kernel.services:
        kernel.start_service(name)
    kernel.booted = True
    on_booted()
    if commands:
        _configure(kernel, commands)
    else:
        kernel.configured = True
    while True:
        yield Sleep(kernel.time.monotonic() + _FOREVER)


def _configure(kernel: Kernel, commands: tuple[Command, ...]) -> None:
    """cloud-init's last stage: the commands become one script, and its output goes to the usual log."""
    lines = [shlex.join(command) if isinstance(command, tuple) else command for command in commands]
    text = lines[0] if lines[0].startswith("#!") else "#!/bin/sh\n" + "\n".join(lines) + "\n"
    path = f"{_SCRIPTS}/runcmd"
    kernel.files.write(path, text.encode(), mode=0o700)
    process = kernel.spawn(["/bin/sh", path])
    log = kernel.files.open("/var/log/cloud-init-output.log", "a", process.account)
    process.handles = {0: kernel.files.open("/dev/null", "r", process.account), 1: log, 2: log.retain()}

    def configured(_process: Process) -> None:
        kernel.configured = True

    process.on_exit = configured
    start(kernel, process)


def start(kernel: Kernel, process: Process) -> None:
    """Let a spawned shell process run what its argv says."""
    result = perform(kernel.programs["sh"], Call(kernel, process, process.argv))
    if isinstance(result, int):
        kernel.scheduler.exit(process, result)
    else:
        kernel.scheduler.start(process, result)
