"""A Postgres of one test's own: to be stopped, killed and started again under servers that use it."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

from stationmaster.postgres.cluster import Cluster, binaries
from stationmaster.postgres.owner import claim

OPTIONS = {"fsync": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class OwnPostgres:
    """`database` is there once it was started the first time."""

    cluster: Cluster
    database: str = "own"

    @property
    def uri(self) -> str:
        return self.cluster.uri(self.database)

    def start(self) -> None:
        """Return when it answers."""
        self.cluster.start(OPTIONS)

    def stop(self, mode: str = "fast") -> None:
        """`fast` ends sessions in order, `immediate` is a crash."""
        command = [str(binaries() / "pg_ctl"), "-D", str(self.cluster.data), "stop", "-w", "-m", mode]
        identity = claim(self.cluster.data, binaries())
        subprocess.run(command, check=True, cwd="/", capture_output=True, timeout=60, **identity)

    def give(self, path: Path) -> None:
        """Make a directory the server's own."""
        owner = self.cluster.data.stat()
        shutil.chown(path, owner.st_uid, owner.st_gid)


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """Running, with an empty database; gone afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="stationmaster-own-"))
    directory.chmod(0o711)  # started by root, the server runs under another name and passes through here
    made = OwnPostgres(Cluster.at(directory / "postgres"))
    try:
        made.start()
        with psycopg.connect(made.cluster.uri(), autocommit=True) as conn:
            conn.execute(SQL("CREATE DATABASE {}").format(Identifier(made.database)))
        yield made
    finally:
        if made.cluster.running():
            made.stop("immediate")
        shutil.rmtree(directory, ignore_errors=True)
