"""The programs an image has in /usr/bin."""

from collections.abc import Mapping

from lab.guests.images import GuestImage
from lab.guests.kernel import Program
from lab.guests.programs import (
    bulk,
    calendar,
    filing,
    graphics,
    listing,
    output,
    running,
    signalling,
    system,
    text,
)
from lab.guests.shell.conditions import test
from lab.guests.shell.main import sh

_COMMON: Mapping[str, Program] = {
    "[": test,
    "basename": filing.basename,
    "bash": sh,
    "cat": text.cat,
    "chmod": filing.chmod,
    "cloud-init": system.cloud_init,
    "cp": filing.cp,
    "cut": text.cut,
    "date": calendar.date,
    "dd": bulk.dd,
    "dirname": filing.dirname,
    "echo": output.echo,
    "env": running.env,
    "false": system.false,
    "free": system.free,
    "grep": text.grep,
    "head": text.head,
    "hostname": system.hostname,
    "id": system.identity,
    "kill": signalling.kill,
    "ls": filing.ls,
    "lsmod": system.lsmod,
    "lspci": graphics.lspci,
    "md5sum": bulk.checksum,
    "mkdir": filing.mkdir,
    "mktemp": filing.mktemp,
    "mv": filing.mv,
    "nohup": running.nohup,
    "nproc": system.nproc,
    "pgrep": signalling.pgrep,
    "pidof": signalling.pidof,
    "pkill": signalling.pkill,
    "poweroff": system.power,
    "printenv": running.printenv,
    "printf": output.printf,
    "ps": listing.ps,
    "readlink": filing.readlink,
    "reboot": system.power,
    "rm": filing.rm,
    "seq": text.seq,
    "setsid": running.setsid,
    "sh": sh,
    "sha256sum": bulk.checksum,
    "sleep": running.sleep,
    "sort": text.sort,
    "stat": filing.stat,
    "sudo": running.sudo,
    "sync": system.sync,
    "systemctl": system.systemctl,
    "tail": text.tail,
    "tee": text.tee,
    "test": test,
    "touch": filing.touch,
    "tr": text.tr,
    "true": system.true,
    "uname": system.uname,
    "uniq": text.uniq,
    "uptime": calendar.uptime,
    "wc": text.wc,
    "who": calendar.who,
    "whoami": system.whoami,
}


def programs_of(image: GuestImage) -> Mapping[str, Program]:
    """Name -> program; nvidia-smi comes with the driver."""
    return _COMMON if image.nvidia_driver is None else {**_COMMON, "nvidia-smi": graphics.nvidia_smi}
