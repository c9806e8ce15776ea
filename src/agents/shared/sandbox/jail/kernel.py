"""Linux as far as the walls need it, by ctypes: system calls that Python has no function for."""

import ctypes
import errno
import os
import platform

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 8, 22, 38
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = (
    0x20000, 0x4000000, 0x8000000, 0x10000000, 0x40000000,
)  # fmt: skip
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x8, 0x4000, 0x40000
_CAPABILITIES_V3 = 0x20080522
CAP_DAC_READ_SEARCH = 2
ARCHES = ("x86_64", "aarch64")
_CAPSET = {"x86_64": 126, "aarch64": 91}


class Missing(OSError):
    """The kernel does not offer it, or not to this process."""


def machine() -> int:
    """The column of the tables of system calls. Raises Missing for another processor."""
    if os.name != "posix" or platform.system() != "Linux" or platform.machine() not in ARCHES:
        raise Missing(errno.ENOSYS, f"no rules for {platform.system()} on {platform.machine()}")
    return ARCHES.index(platform.machine())


def call(number: int, *arguments: object) -> int:
    """A system call by number. Raises Missing with the kernel's reason."""
    done = _syscall(ctypes.c_long(number), *arguments)
    return _checked(done, f"system call {number}")


def prctl(option: int, *arguments: object) -> None:
    """Raises Missing."""
    rest = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    rest += [ctypes.c_ulong(0)] * (4 - len(rest))
    _checked(_libc.prctl(ctypes.c_int(option), *rest), f"prctl {option}")


def unshare(flags: int) -> None:
    """Raises Missing."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Raises Missing."""
    done = _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode(),
    )
    _checked(done, f"mount on {target}")


def keep_capabilities(*kept: int) -> None:
    """Give all others up, for good. Raises Missing."""
    bits = sum(1 << one for one in kept)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0)
    data = (ctypes.c_uint32 * 6)(bits, bits, 0, 0, 0, 0)
    call(_CAPSET[platform.machine()], ctypes.byref(header), ctypes.byref(data))


def _checked(done: int, what: str) -> int:
    if done < 0:
        number = ctypes.get_errno()
        raise Missing(number, f"{what}: {os.strerror(number)}")
    return done
