"""PgBouncer in transaction mode before a database, where it is installed (Debian: apt-get install pgbouncer)."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import psycopg

from tests.fakes.agent_server import free_port

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
CONFIG = """
[databases]
* = host={host} port={port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 500
"""


@contextmanager
def pgbouncer(uri: str, size: int = 8) -> Iterator[str]:
    """The URI by which the same database is reached through it, on so few connections."""
    assert PROGRAM is not None
    parts = urlsplit(uri)
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    listen = free_port()
    directory = Path(tempfile.mkdtemp(prefix="stationmaster-bouncer-"))
    directory.chmod(0o755)
    config = directory / "pgbouncer.ini"
    config.write_text(
        CONFIG.format(host=unquote(asked["host"]), port=asked["port"], listen=listen, size=size)
    )
    owner, group = _other_than_root()
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(
            [PROGRAM, str(config)], stdout=log, stderr=log, cwd="/", user=owner, group=group
        )
    through = f"postgresql://postgres@127.0.0.1:{listen}{parts.path}"
    try:
        _wait(through, process, directory / "log")
        yield through
    finally:
        process.kill()
        process.wait(10)
        shutil.rmtree(directory)


def _other_than_root() -> tuple[int | None, int | None]:
    """It refuses root, and must get at the socket of a Postgres that runs as its own user."""
    if os.geteuid() != 0:
        return None, None
    user = pwd.getpwnam("pgserver")
    return user.pw_uid, user.pw_gid


def _wait(uri: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(uri, autocommit=True, prepare_threshold=None).close()
        except psycopg.OperationalError:
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        else:
            return
