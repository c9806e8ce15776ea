"""Stops the embedded server once nobody needs it: waits for the last holder's lock to go, however it went.

Runs as a small process of its own, by path and with the standard library alone, so that it costs little and
outlives `kill -9` of any holder. Every process that needs the server holds a shared lock on `holders`; the
kernel takes the lock back when the process ends, so there is no list of process ids to go stale.
"""

import fcntl
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

STOP_TIMEOUT_S = 60


def answers(socket_path: Path) -> bool:
    """Whether a postmaster listens: true from its start until its end, whatever state it is in."""
    probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        probe.connect(str(socket_path))
    except OSError:
        return False
    finally:
        probe.close()
    return True


def stop(pg_ctl: Path, data: Path, socket_path: Path) -> None:
    """Fast shutdown, waited for. The caller holds `holders` exclusively; a server that is gone is fine.

    Without a listening postmaster nothing is signalled: the process id in `postmaster.pid` may be another's by now.
    """
    if not answers(socket_path):
        return
    owner = data.stat()
    identity = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": ()} if os.geteuid() == 0 else {}
    command = (str(pg_ctl), "stop", "-D", str(data), "-m", "fast", "-w", "-t", str(STOP_TIMEOUT_S))
    postmaster = _process_of(data)
    subprocess.run(command, check=True, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, **identity)  # noqa: S603
    if postmaster is not None:  # pg_ctl waits for the file to be gone, which the process outlives by a moment
        select.select([postmaster], [], [], STOP_TIMEOUT_S)
        os.close(postmaster)
    if socket_path.parent != data:
        with suppress(OSError):
            socket_path.parent.rmdir()


def _process_of(data: Path) -> int | None:
    """A descriptor that can be read once the postmaster has ended; None where the system has no such thing."""
    try:
        return os.pidfd_open(int((data / "postmaster.pid").read_text().partition("\n")[0]))
    except (OSError, ValueError, AttributeError):
        return None


def _keep(locks: Path, pg_ctl: Path, data: Path, socket_path: Path) -> None:
    with (locks / "keeper.lock").open("rb") as keeper, (locks / "holders.lock").open("rb") as holders:
        try:
            fcntl.flock(keeper, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # another keeper is at work
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)  # the starter reads these two pipes to their end: it goes on now
        os.dup2(nowhere, 2)
        fcntl.flock(holders, fcntl.LOCK_EX)
        stop(pg_ctl, data, socket_path)
        # In this order: who gets `holders` next looks whether a keeper is at work.
        fcntl.flock(keeper, fcntl.LOCK_UN)
        fcntl.flock(holders, fcntl.LOCK_UN)


def main(arguments: list[str]) -> None:
    """`keeper.py LOCKS PG_CTL DATA SOCKET`; returns to the caller as soon as the keeper is at work."""
    if os.fork():
        return
    os.setsid()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # it ends by itself, right after the last holder
    locks, pg_ctl, data, socket_path = (Path(argument) for argument in arguments)
    _keep(locks, pg_ctl, data, socket_path)


if __name__ == "__main__":
    main(sys.argv[1:])
