"""The way into the jail: read what to run, put up the walls, drop all rights, and only then read the code.

Started as `python -I -S -B -c ... <fd>`; the specification comes by standard input. What happens goes to the
descriptor, a line of JSON each, so that the other side knows how far it came however it ends.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from agents.shared.sandbox.jail import kernel, landlock, namespaces, rights, seccomp, testing

LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")


def main(descriptor: int) -> None:
    """Never returns."""
    spec: dict[str, Any] = json.load(sys.stdin)
    report = os.fdopen(descriptor, "w", encoding="utf-8", buffering=1)

    def tell(**event: Any) -> None:
        report.write(f"{json.dumps({'nonce': nonce, **event})}\n")

    nonce = spec.pop("nonce")
    try:
        tell(event="walls", walls=walls(spec))
    except OSError as error:
        tell(event="unprotected", reason=f"{error.strerror or error}")
        leave(1)
    testing.run(spec["code"], spec["tests"], tell)
    leave(0)


def walls(spec: dict[str, Any]) -> list[str]:
    """Put them up; their names. Raises OSError where one is missing without which nothing may run."""
    kernel.machine()
    place = Path(spec["place"])
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    landlock.version()
    put = namespaces.separate(place) if spec["namespaces"] else []
    os.chdir(place)
    home = Path(os.__file__).parent
    keep_reading = not rights.reachable(home)
    own = rights.become_nobody(place)
    rights.drop_capabilities(keep_reading=own and keep_reading)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of user has cleared it
    rights.limit(spec["limits"], own_user=own or "network" in put)
    sys.argv = ["solution.py"]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    readable = [home, Path(sys.base_prefix) / "lib", *map(Path, LIBRARIES)]
    known = landlock.confine(readable, place)
    seccomp.install()
    return [f"files (Landlock {known})", "system calls (seccomp)", *(["own user"] if own else []), *put]


def leave(code: int) -> None:
    """At once: threads that the code has started don't keep the process."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)
