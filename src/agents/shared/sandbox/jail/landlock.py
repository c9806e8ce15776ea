"""Which files this process may touch: Landlock, which every user may put on itself and nobody can take off."""

import ctypes
import errno
import os
import struct
from pathlib import Path

from agents.shared.sandbox.jail import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
# Rights of a file system by the version of Landlock that brought them.
_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}
_READ = 0x4 | 0x8  # files, and the list of a directory
_FILE = 0x4 | 0x2 | 0x4000  # read, write, truncate
_BIND_OR_CONNECT = 0x3
_NO_ABSTRACT_SOCKETS_NO_SIGNALS = 0x3
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


def version() -> int:
    """What the kernel has. Raises Missing where it has none."""
    return kernel.call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))


def confine(readable: list[Path], writable: Path) -> int:
    """Only these from here on, for good; the version in force. Raises Missing."""
    known = version()
    if known < 1:
        raise kernel.Missing(errno.ENOSYS, "Landlock is off")
    handled = _RIGHTS[min(known, 5)]
    network = _BIND_OR_CONNECT if known >= 4 else 0
    scoped = _NO_ABSTRACT_SOCKETS_NO_SIGNALS if known >= 6 else 0
    attributes = struct.pack("=QQQ", handled, network, scoped)[: 8 if known < 4 else 16 if known < 6 else 24]
    ruleset = kernel.call(
        _CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    )
    try:
        for path in readable:
            _allow(ruleset, path, _READ & handled)
        for device in DEVICES:
            _allow(ruleset, Path(device), _FILE & handled)
        _allow(ruleset, writable, handled)
        kernel.call(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)
    return known


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    try:
        rule = struct.pack("=Qi", rights if path.is_dir() else rights & _FILE, place)
        kernel.call(
            _ADD,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.c_char_p(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(place)
