"""Processes that hold the embedded server, as ourselves and as an ordinary user, in a directory of their own."""

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from stationmaster.postgres.cluster import Cluster

ROOT = Path(__file__).parents[3]
HOLDER = Path(__file__).with_name("holder.py")
ORDINARY = "nobody"
PATIENCE_S = 30.0


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE_S:.0f} s: {what}"
        time.sleep(0.01)


def alive(process: psutil.Process) -> bool:
    """A zombie is dead; how soon it is reaped is the business of the machine's first process."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def is_free(lock: Path) -> bool:
    with lock.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def interpreter_for(user: str) -> str:
    """A Python of this version that the user may run; the one we run on may lie in a closed home directory."""
    system = shutil.which("python3.11", path="/usr/local/bin:/usr/bin")
    for candidate in (sys.executable, system):
        if candidate is not None and may_run(candidate, user):
            return candidate
    pytest.skip(f"{user} can run no Python 3.11 on this machine: the one in use lies in a closed directory")


def may_run(path: str, user: str) -> bool:
    try:
        return (
            subprocess.run((path, "-c", ""), user=user, check=False, capture_output=True, cwd="/").returncode
            == 0
        )
    except PermissionError:
        return False


@dataclass
class Holder:
    """One such process."""

    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def tell(self, line: str) -> str:
        self.send(line)
        return self.hear()

    def end(self) -> int:
        """Let it come to its own end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


@dataclass
class Place:
    """A data directory, who uses it, and what can be seen of its server from outside."""

    data_dir: Path
    user: str | None = None
    holders: list[Holder] = field(default_factory=list)

    def spawn(self, environment: dict[str, str] | None = None) -> Holder:
        """A holder that may not have the server yet: `hear()` gives the URI or the error."""
        python = sys.executable if self.user is None else interpreter_for(self.user)
        paths = (str(ROOT / "src"), sysconfig.get_path("purelib"))
        process = subprocess.Popen(
            (python, "-B", str(HOLDER), str(self.data_dir)), user=self.user, text=True, cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": "/", "PYTHONPATH": os.pathsep.join(paths), **(environment or {})},
        )  # fmt: skip
        self.holders.append(Holder(process))
        return self.holders[-1]

    def hold(self) -> Holder:
        """A holder that has the server."""
        holder = self.spawn()
        said = holder.hear()
        assert said == self.cluster.uri(), said
        return holder

    @property
    def cluster(self) -> Cluster:
        return Cluster.at(self.data_dir / "postgres")

    def postmaster(self) -> psutil.Process:
        pid_file = self.data_dir / "postgres" / "postmaster.pid"
        return psutil.Process(int(pid_file.read_text().splitlines()[0]))

    def keeper(self) -> psutil.Process:
        """The keeper of this directory, found by its command line."""
        for process in psutil.process_iter(["cmdline"]):
            if str(self.data_dir / "locks") in (process.info["cmdline"] or ()):
                return process
        raise AssertionError("no keeper")

    def clean_up(self) -> None:
        for holder in self.holders:
            holder.process.kill()
            for stream in (holder.process.stdin, holder.process.stdout):
                if stream is not None:
                    stream.close()
            holder.process.wait()
        if (lock := self.data_dir / "locks" / "keeper.lock").exists():
            wait_until(lambda: is_free(lock), "the keeper stops the server without holders")


@pytest.fixture
def directory() -> Iterator[Path]:
    """Under the system's own directory for such things: pytest's is closed to other users, and its paths are long."""
    path = Path(tempfile.mkdtemp(prefix="sm-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def place(directory: Path) -> Iterator[Place]:
    """Used by whoever runs the tests."""
    place = Place(directory / "data")
    yield place
    place.clean_up()


@pytest.fixture
def ordinary_place(directory: Path) -> Iterator[Place]:
    """Used by an ordinary user although the tests run as root."""
    shutil.chown(directory, ORDINARY)
    place = Place(directory / "data", ORDINARY)
    yield place
    place.clean_up()


@pytest.fixture(params=["ourselves", "ordinary user"])
def any_place(request: pytest.FixtureRequest) -> Place:
    """Used by whoever runs the tests, and, if that is root, by an ordinary user too."""
    if request.param == "ourselves":
        return request.getfixturevalue("place")
    if os.geteuid() != 0:
        pytest.skip("we are an ordinary user: the other variant has tested that")
    return request.getfixturevalue("ordinary_place")
