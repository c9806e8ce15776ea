"""Who the process is and how much it may take: another user where it was root, no capability, limits of the kernel."""

import os
import resource
from collections.abc import Mapping
from pathlib import Path

from agents.shared.sandbox.jail import kernel

FIRST_USER = 1_900_000_000
"""Numbers above those that distributions and containers hand out; the process's own number is added."""
NOBODY = 65_534
THREADS = 32


def become_nobody(place: Path) -> bool:
    """Where this is root: an own user number that owns `place` and nothing else. Whether it is one now.

    It keeps one capability, reading past modes, where the interpreter itself lies in a directory that only root may
    enter; Landlock says which files that reaches.
    """
    if os.geteuid() != 0:
        return False
    for user in (FIRST_USER + os.getpid(), NOBODY):
        try:
            _own(place, user)
            kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        except OSError:
            continue
        return True
    return False


def drop_capabilities(*, keep_reading: bool) -> None:
    """All of them, for good."""
    try:
        kernel.keep_capabilities(*([kernel.CAP_DAC_READ_SEARCH] if keep_reading else []))
    except OSError:
        kernel.keep_capabilities()


def reachable(path: Path) -> bool:
    """Whether everybody may enter the directory."""
    return all(part.stat().st_mode & 0o001 for part in (path, *path.parents) if part.is_dir())


def limit(limits: Mapping[str, int], *, own_user: bool) -> None:
    """`limits`: cpu_s, memory_mb, file_mb. The kernel ends, or refuses, what goes beyond."""
    cpu, memory, file = limits["cpu_s"], limits["memory_mb"] << 20, limits["file_mb"] << 20
    _set(resource.RLIMIT_CPU, cpu, cpu + 1)
    _set(resource.RLIMIT_AS, memory)
    _set(resource.RLIMIT_FSIZE, file)
    _set(resource.RLIMIT_NOFILE, 64)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_MEMLOCK, 0)
    _set(resource.RLIMIT_MSGQUEUE, 0)
    # Counted over all processes of the user: their number as it is now is added, where the user is not this alone.
    _set(resource.RLIMIT_NPROC, THREADS + (0 if own_user else _threads()))


def _own(place: Path, user: int) -> None:
    for path in (place, *place.iterdir()):
        os.chown(path, user, user)


def _set(which: int, soft: int, hard: int | None = None) -> None:
    most = resource.getrlimit(which)[1]
    hard = soft if hard is None else hard
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))


def _threads() -> int:
    """How many threads this user has, as far as /proc shows."""
    found, user = 0, os.getuid()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == user:
                    found += len(os.listdir(f"/proc/{entry.name}/task"))  # noqa: PTH208
            except OSError:
                continue
    return found
