"""Under whose name the embedded server runs: ours, or, since Postgres refuses root, a system user's."""

import logging
import os
import pwd
import shutil
import stat
import subprocess
from pathlib import Path
from typing import TypedDict

from stationmaster.postgres.errors import EmbeddedFailed

SYSTEM_USER = "pgserver"
OTHERS_READ = stat.S_IROTH
OTHERS_SEARCH = stat.S_IXOTH

log = logging.getLogger(__name__)


class Identity(TypedDict, total=False):
    """Keyword arguments of subprocess.run; empty for an ordinary user."""

    user: int
    group: int
    extra_groups: tuple[int, ...]


def claim(data: Path, binaries: Path) -> Identity:
    """Make the data directory (mode 0700) if it is missing; who its server runs as.

    As root the system user is made on first use, and may reach the binaries and the data afterwards.
    """
    if os.geteuid() != 0:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if data.stat().st_uid != os.geteuid():
            raise EmbeddedFailed(
                f"{data} belongs to {_name(data.stat().st_uid)}: run as that user, "
                "or choose another directory with STATIONMASTER_DATA_DIR"
            )
        return {}
    if not data.exists():
        user = _system_user()
        data.mkdir(mode=0o700, parents=True)
        os.chown(data, user.pw_uid, user.pw_gid)
    owner = data.stat()
    if owner.st_uid == 0:
        raise EmbeddedFailed(f"{data} belongs to root, which Postgres refuses: chown -R {SYSTEM_USER} {data}")
    _open_parents(data, owner.st_uid)
    _open_parents(binaries, owner.st_uid)
    _open_tree(binaries.parent)
    return {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": ()}


def _system_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        pass
    useradd = shutil.which("useradd")
    if useradd is None:
        raise EmbeddedFailed(
            f"Postgres refuses to run as root and there is no useradd to make a user for it: make a system user "
            f"named {SYSTEM_USER}, run as an ordinary user, or set DATABASE_URI"
        )
    command = (
        useradd,
        "--system",
        "--user-group",
        "--no-create-home",
        "--shell",
        "/usr/sbin/nologin",
        SYSTEM_USER,
    )
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
    try:
        return pwd.getpwnam(SYSTEM_USER)  # made by us, or a moment earlier by another process
    except KeyError:
        raise EmbeddedFailed(
            f"the system user {SYSTEM_USER} can't be made ({done.stderr.strip()}): "
            "make it, run as an ordinary user, or set DATABASE_URI"
        ) from None


def _open_parents(path: Path, uid: int) -> None:
    """Let `uid` pass through the directories above `path`: search only, nobody can list them thereby."""
    for parent in path.parents:
        mode = parent.stat()
        if mode.st_mode & OTHERS_SEARCH or (mode.st_uid == uid and mode.st_mode & stat.S_IXUSR):
            continue
        log.warning("%s is opened for passing through (chmod o+x): Postgres runs as %s", parent, _name(uid))
        parent.chmod(stat.S_IMODE(mode.st_mode) | OTHERS_SEARCH)


def _open_tree(root: Path) -> None:
    """Let others read the Postgres installation, whatever umask it was installed under."""
    for directory, _, files in os.walk(root):
        for path in (Path(directory), *(Path(directory, name) for name in files)):
            mode = stat.S_IMODE(path.stat().st_mode)
            wanted = mode | OTHERS_READ | (OTHERS_SEARCH if mode & stat.S_IXUSR else 0)
            if wanted != mode:
                path.chmod(wanted)


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
