"""pg_dump and pg_restore that fit a server: those of the wheel, or those on PATH where the wheel's do not."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stationmaster.postgres.cluster import binaries
from stationmaster.postgres.errors import DumpFailed, DumpRefused

# pg_restore of 17 and later opens with a setting that older servers do not know.
FIRST_WITH_NEW_PREAMBLE = 17


def for_dump(server_major: int, directories: tuple[Path, ...] | None = None) -> Path:
    """A pg_dump that can read the server: it reads its own version and older ones. DumpRefused if there is none."""
    found = list(_candidates("pg_dump", directories))
    if (
        server_major < FIRST_WITH_NEW_PREAMBLE
    ):  # such a server can take back only what an older pg_dump has written
        found.sort(key=lambda candidate: candidate[1])
    for program, major in found:
        if major >= server_major:
            return program
    raise DumpRefused(
        f"the server is Postgres {server_major}, and pg_dump here is {_newest(found)}, which can't read newer ones: "
        f"put pg_dump of {server_major} on PATH"
    )


def for_restore(server_major: int, directories: tuple[Path, ...] | None = None) -> Path:
    """A pg_restore that the server understands. It reads archives of its own version and older ones."""
    found = list(_candidates("pg_restore", directories))
    for program, major in found:
        if server_major >= FIRST_WITH_NEW_PREAMBLE or major < FIRST_WITH_NEW_PREAMBLE:
            return program
    raise DumpRefused(
        f"the server is Postgres {server_major}, which does not understand pg_restore {_newest(found)}: "
        f"put pg_restore of {server_major} on PATH"
    )


def run(program: Path, *arguments: str, uri: str | None = None) -> str:
    """Run it to its end; its output. DumpFailed holds its last words. The password goes by the environment: the
    command line is everybody's to read. Blocking."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))
    }
    if uri is not None:
        parts = conninfo_to_dict(uri)
        if password := parts.pop("password", None):
            environment["PGPASSWORD"] = str(password)
        arguments = (*arguments, f"--dbname={make_conninfo('', **parts)}")
    done = subprocess.run(  # noqa: S603
        (str(program), *arguments),
        check=False,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    if done.returncode:
        raise DumpFailed(f"{program.name} failed: {_last_words(done.stderr.decode(errors='replace'))}")
    return done.stdout.decode(errors="replace")


def _candidates(name: str, directories: tuple[Path, ...] | None) -> Iterator[tuple[Path, int]]:
    if directories is None:
        on_path = shutil.which(name)
        directories = (binaries(), *([Path(on_path).parent] if on_path else []))
    for directory in directories:
        if (program := directory / name).exists():
            yield program, _major(program)


@cache
def _major(program: Path) -> int:
    said = subprocess.run((str(program), "--version"), check=True, capture_output=True, text=True).stdout  # noqa: S603
    match = re.search(r"(\d+)(?:\.\d+|devel|beta\d|rc\d)", said)
    if match is None:
        raise DumpFailed(f"{program} does not say its version ({said.strip()}): take it off PATH")
    return int(match[1])


def _newest(found: list[tuple[Path, int]]) -> str:
    return str(max(major for _, major in found)) if found else "missing"


def _last_words(said: str) -> str:
    """The first complaint, and what it was about; not the count of them at the end."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    shown = [line.partition("error:")[2].strip() for line in errors] or lines[-1:] or ["it said nothing"]
    return shown[0]
