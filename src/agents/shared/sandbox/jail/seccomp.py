"""A filter in the kernel over every system call of this process: what is not on the list fails with EPERM."""

import ctypes
import os
import struct
from collections.abc import Iterator

from agents.shared.sandbox.jail import kernel
from agents.shared.sandbox.jail.calls import ALLOWED, JUDGED

_LOAD, _JUMP_EQ, _JUMP_GE, _JUMP_SET, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
_AUDIT_ARCH = (0xC000003E, 0xC00000B7)
_X32 = 0x40000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
_MODE_FILTER = 2
_CLONE_THREAD = 0x10000
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030)
"""Copies, flags and locks of files; not F_SETOWN, which sends signals."""
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Whether it is a terminal, how wide, how much there is to read, non-blocking, close-on-exec."""
_PR_SET_NAME, _PR_SET_VMA = 15, 0x53564D41

Instruction = tuple[int, int, int, int]


def install() -> None:
    """From here on, for this process and all its threads, for good. Raises Missing."""
    program = b"".join(struct.pack("=HBBI", *one) for one in _program(kernel.machine(), os.getpid()))
    buffer = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    pointer = ctypes.create_string_buffer(described, len(described))
    kernel.prctl(kernel.PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(pointer))


def _program(machine: int, pid: int) -> list[Instruction]:
    made: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQ, 1, 0, _AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_GE, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for numbers in ALLOWED.values():
        if (number := numbers[machine]) is not None:
            made += [(_JUMP_EQ, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for name, numbers in JUDGED.items():
        if (number := numbers[machine]) is not None:
            rule = list(_RULES[name](pid))
            made += [(_JUMP_EQ, 0, len(rule), number), *rule]
    return [*made, (_RETURN, 0, 0, _EPERM)]


def _argument(index: int, *, high: bool = False) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index + (4 if high else 0))


def _one_of(index: int, values: tuple[int, ...]) -> Iterator[Instruction]:
    """Allowed if the argument is one of the values."""
    yield _argument(index)
    for value in values:
        yield (_JUMP_EQ, 0, 1, value)
        yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, _EPERM)


def _null(index: int) -> Iterator[Instruction]:
    """Allowed if the argument, a pointer, is NULL."""
    yield _argument(index)
    yield (_JUMP_EQ, 0, 3, 0)
    yield _argument(index, high=True)
    yield (_JUMP_EQ, 0, 1, 0)
    yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, _EPERM)


def _thread(_: int) -> Iterator[Instruction]:
    yield _argument(0)
    yield (_JUMP_SET, 0, 1, _CLONE_THREAD)
    yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, _EPERM)


def _unix_stream_pair(_: int) -> Iterator[Instruction]:
    """What asyncio wakes itself with; a datagram socket could be sent to others."""
    yield _argument(0)
    yield (_JUMP_EQ, 0, 4, 1)
    yield _argument(1)
    yield (_AND, 0, 0, 0xF)
    yield (_JUMP_EQ, 0, 1, 1)
    yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, _EPERM)


_RULES = {
    "clone": _thread,
    # Its flags stand in memory, where a filter can't look; glibc then takes clone.
    "clone3": lambda _: iter([(_RETURN, 0, 0, _ENOSYS)]),
    "socketpair": _unix_stream_pair,
    "sendto": lambda _: _null(4),
    "prlimit64": lambda _: _null(2),
    "prctl": lambda _: _one_of(0, (_PR_SET_NAME, _PR_SET_VMA)),
    "ioctl": lambda _: _one_of(1, _IOCTL),
    "fcntl": lambda _: _one_of(1, _FCNTL),
    "kill": lambda pid: _one_of(0, (pid,)),
    "tgkill": lambda pid: _one_of(0, (pid,)),
}
