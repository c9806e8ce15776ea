"""Where the kernel lets this user: no network device but a dead loopback, and a file system of its own to write to.

These are walls behind the walls. Seccomp and Landlock hold without them; a kernel or a container that refuses them
(Docker's default profile, Ubuntu's AppArmor) loses the limit of the disk and the second guard of the network.
"""

import os
from contextlib import suppress
from pathlib import Path

from agents.shared.sandbox.jail import kernel

DISK = "size=16m,nr_inodes=512,mode=0700"
_NEW = kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS


def separate(place: Path) -> list[str]:
    """What could be had, by name: "network", "disk". Raises OSError when the kernel gave half of it, after which this
    process is of no use: start one without.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        kernel.unshare(_NEW if user == 0 else kernel.CLONE_NEWUSER | _NEW)
    except OSError:
        return []
    if user != 0:
        _map(user, group)
    got = ["network"]
    with suppress(OSError):
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        kernel.mount("jail", str(place), "tmpfs", flags, DISK)
        got.append("disk")
    return got


def _map(user: int, group: int) -> None:
    """Itself as itself: files are written under the same name as outside."""
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
