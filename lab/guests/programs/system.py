"""Programs about the system: uname, hostname, id, free, nproc, lsmod, systemctl, cloud-init, reboot, sync."""

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, PowerAction, UsageError, decode
from lab.guests.process import Routine, Sleep
from lab.guests.procfs import memory_use
from lab.guests.programs.options import parse_options
from lab.guests.signals import SIGTERM

_CLOUD_INIT_POLL = 0.25


def uname(call: Call) -> int:
    """`uname [-s] [-n] [-r] [-v] [-m] [-o] [-a]`."""
    options = parse_options(call, "snrvmoa")
    image = call.kernel.image
    facts = {
        "s": "Linux",
        "n": call.kernel.hostname,
        "r": image.kernel,
        "v": image.kernel_build,
        "m": "x86_64",
        "o": "GNU/Linux",
    }
    wanted = list(facts) if "a" in options else [letter for letter in facts if letter in options] or ["s"]
    call.out(" ".join(facts[letter] for letter in wanted) + "\n")
    return 0


def hostname(call: Call) -> int:
    """`hostname`."""
    if call.args:
        raise NotSimulatedError(f"hostname {call.args[0]}")
    call.out(f"{call.kernel.hostname}\n")
    return 0


def identity(call: Call) -> int:
    """`id [-u] [-g] [-n]`."""
    options = parse_options(call, "ugn")
    account = call.process.account
    name, uid = account.name, account.uid
    if {"u", "g"} & options.flags:
        call.out(f"{name if 'n' in options else uid}\n")
    else:
        call.out(f"uid={uid}({name}) gid={uid}({name}) groups={uid}({name})\n")
    return 0


def whoami(call: Call) -> int:
    """`whoami`."""
    call.out(f"{call.process.account.name}\n")
    return 0


def free(call: Call) -> int:
    """`free [-b | -k | -m | -g]`."""
    options = parse_options(call, "bkmgh")
    if "h" in options:
        raise NotSimulatedError("option -h")
    unit = 1 << next((shift for letter, shift in (("b", 0), ("m", 20), ("g", 30)) if letter in options), 10)
    total, used, shared = (value // unit for value in memory_use(call.kernel))
    available = max(0, total - used - shared)
    titles = ("total", "used", "free", "shared", "buff/cache", "available")
    call.out(f"{'':<7}" + "".join(f"{title:>12}" for title in titles) + "\n")
    row = (total, used, available, shared, shared, available)
    call.out("Mem:   " + "".join(f"{value:>12}" for value in row) + "\n")
    call.out("Swap:  " + "".join(f"{0:>12}" for _ in range(3)) + "\n")
    return 0


def nproc(call: Call) -> int:
    """`nproc`."""
    call.out(f"{call.kernel.cores}\n")
    return 0


def lsmod(call: Call) -> int:
    """`lsmod`."""
    rows = [line.split() for line in decode(call.kernel.files.read("/proc/modules")).splitlines()]
    call.out("Module                  Size  Used by\n")
    call.out("".join(f"{row[0]:<20} {row[1]:>8}  {row[2]}\n" for row in rows))
    return 0


def systemctl(call: Call) -> int:
    """`systemctl is-active|is-enabled|status|start|stop|restart|enable|disable [--now] [--quiet] unit…`, and power."""
    options = parse_options(call, "q", long={"now": "N", "quiet": "q", "no-block": "B"})
    verb, *units = options.operands or ["list-units"]
    if verb in ("reboot", "poweroff"):
        return power(Call(call.kernel, call.process, [verb]))
    if verb == "is-system-running":
        call.out("running\n")
        return 0
    if verb not in _VERBS or not units:
        raise NotSimulatedError(f"systemctl {verb}")
    names = [unit.removesuffix(".service") for unit in units]
    if verb in ("is-active", "is-enabled", "status"):
        return max(_inspect(call, verb, name, quiet="q" in options) for name in names)
    if not call.process.account.is_root:
        raise UsageError(f"Failed to {verb} {units[0]}: Interactive authentication required.")
    return max(_change(call, verb, name, now="N" in options) for name in names)


_VERBS = frozenset({"is-active", "is-enabled", "status", "start", "stop", "restart", "enable", "disable"})


def _inspect(call: Call, verb: str, name: str, *, quiet: bool) -> int:
    service = call.kernel.services.get(name)
    active = service is not None and service.active
    if verb == "status":
        if service is None:
            raise UsageError(f"Unit {name}.service could not be found.", 4)
        state = "active (running)" if active else "inactive (dead)"
        pid = f"   Main PID: {service.process.pid}\n" if active and service.process else ""
        call.out(f"● {name}.service\n     Loaded: loaded\n     Active: {state}\n{pid}")
        return 0 if active else 3
    good = active if verb == "is-active" else service is not None
    words = ("active", "inactive") if verb == "is-active" else ("enabled", "not-found")
    if not quiet:
        call.out(f"{words[0] if good else words[1]}\n")
    return 0 if good else 3 if verb == "is-active" else 4


def _change(call: Call, verb: str, name: str, *, now: bool) -> int:
    service = call.kernel.services.get(name)
    if service is None:
        handle = call.process.handles.get(2)
        if handle is not None:
            handle.write(f"Failed to {verb} {name}.service: Unit {name}.service not found.\n".encode())
        return 5
    stops = verb in ("stop", "restart") or (verb == "disable" and now)
    if stops and service.process is not None and service.active:
        call.kernel.scheduler.signal(service.process, SIGTERM)
    if verb in ("start", "restart") or (verb == "enable" and now):
        call.kernel.start_service(name)
    return 0


def cloud_init(call: Call) -> Routine:
    """`cloud-init status [--wait]`."""
    options = parse_options(call, "w", long={"wait": "w"})
    if options.operands != ["status"]:
        raise NotSimulatedError(f"cloud-init {' '.join(call.args)}")
    while "w" in options and not call.kernel.configured:
        yield Sleep(call.kernel.time.monotonic() + _CLOUD_INIT_POLL)
    call.out(f"status: {'done' if call.kernel.configured else 'running'}\n")
    return 0


def power(call: Call) -> int:
    """`reboot` and `poweroff`, for root."""
    if not call.process.account.is_root:
        raise UsageError("Call to Reboot failed: Interactive authentication required.")
    call.kernel.power(PowerAction(call.name))
    return 0


def sync(_call: Call) -> int:
    """`sync`."""
    return 0


def true(_call: Call) -> int:
    """`true`."""
    return 0


def false(_call: Call) -> int:
    """`false`."""
    return 1
