"""The embedded server: shared by every process that uses the same data directory, stopped after the last one.

Blocking: call through asyncio.to_thread. Files under `<data_dir>/locks`: `start.lock` is held while the server
is started or stopped; `holders.lock` is held, shared, by every process that needs it; `keeper.lock` by the keeper.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stationmaster.postgres import keeper
from stationmaster.postgres.cluster import Cluster, binaries
from stationmaster.postgres.errors import EmbeddedFailed

WAIT_S = 180.0  # longer than one start and one stop together
POLL_S = 0.02

_handles: dict[Path, int] = {}  # data directory -> descriptor of holders.lock, one for the whole process
_guard = threading.Lock()


def start(data_dir: Path, options: Mapping[str, str] | None = None) -> str:
    """Take this process's handle and see that the server runs; its URI. Again and again is fine.

    `options` are server parameters, used only by the process that happens to start it.
    """
    data_dir = data_dir.resolve()
    locks = data_dir / "locks"
    _make(locks)
    cluster = Cluster.at(data_dir / "postgres")
    with _guard:
        if data_dir not in _handles:
            _handles[data_dir] = _lock(locks / "holders.lock", fcntl.LOCK_SH)
        try:
            with _held(locks / "start.lock"):
                _see_to_keeper(locks, cluster)  # first: a kill during the start then leaves nothing running
                if not cluster.running():
                    cluster.start(options or {})
        except BaseException as error:
            os.close(_handles.pop(data_dir))
            if isinstance(error, OSError):
                raise EmbeddedFailed(
                    f"the embedded Postgres can't be started ({error}): correct that, or set DATABASE_URI"
                ) from error
            raise
    return cluster.uri()


def release(data_dir: Path) -> None:
    """Give this process's handle back; was it the last one, the server is down on return.

    Not calling it is safe: the handle goes with the process, and the keeper stops the server.
    """
    data_dir = data_dir.resolve()
    locks = data_dir / "locks"
    with _guard:
        handle = _handles.pop(data_dir, None)
        if handle is None:
            return
        with _held(locks / "start.lock"):
            os.close(handle)
            try:
                last = _try(locks / "holders.lock", fcntl.LOCK_EX)
                if last is None:  # others need it, or the keeper is stopping it: then wait for that
                    os.close(_lock(locks / "holders.lock", fcntl.LOCK_SH))
                    return
                cluster = Cluster.at(data_dir / "postgres")
                keeper.stop(binaries() / "pg_ctl", cluster.data, cluster.socket_path)
                os.close(last)
            except subprocess.CalledProcessError as error:
                raise EmbeddedFailed(
                    f"pg_ctl can't stop the server in {data_dir}: {error.stderr!r}"
                ) from None


@contextmanager
def temporary(parent: Path | None = None) -> Iterator[str]:
    """The URI of a server for the length of a block, in a directory of its own; nothing of it is kept.

    `parent`: where that directory is made, else where temporary files are.
    """
    data_dir = Path(tempfile.mkdtemp(prefix="stationmaster-", dir=parent))
    data_dir.chmod(0o711)  # started by root, the server runs under another name and passes through here
    try:
        yield start(data_dir, {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})
    finally:
        release(data_dir)
        shutil.rmtree(data_dir)


def _see_to_keeper(locks: Path, cluster: Cluster) -> None:
    free = _try(locks / "keeper.lock", fcntl.LOCK_EX)
    if free is None:
        return
    os.close(free)
    command = (sys.executable, "-I", "-S", keeper.__file__, *map(str, (locks, binaries() / "pg_ctl")))
    command += (str(cluster.data), str(cluster.socket_path))
    done = subprocess.run(command, check=False, cwd="/", stdin=subprocess.DEVNULL, capture_output=True)  # noqa: S603
    if done.returncode:
        raise EmbeddedFailed(
            f"the keeper of the embedded Postgres can't start: {done.stderr.decode().strip()}"
        )


def _make(locks: Path) -> None:
    try:
        locks.mkdir(parents=True, exist_ok=True)
        for name in ("start.lock", "holders.lock", "keeper.lock"):
            (locks / name).touch()
    except OSError as error:
        raise EmbeddedFailed(
            f"{locks} can't be written ({error.strerror}): choose another STATIONMASTER_DATA_DIR"
        ) from None


def _try(path: Path, kind: int) -> int | None:
    """A descriptor that holds the lock, or None while others hold it. Closing it gives it back."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _lock(path: Path, kind: int) -> int:
    deadline = time.monotonic() + WAIT_S
    while (descriptor := _try(path, kind)) is None:
        if time.monotonic() > deadline:
            raise EmbeddedFailed(
                f"{path} has been held for {WAIT_S:.0f} s: see who holds it with fuser, and end that"
            )
        time.sleep(POLL_S)
    return descriptor


@contextmanager
def _held(path: Path) -> Iterator[None]:
    descriptor = _lock(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)
