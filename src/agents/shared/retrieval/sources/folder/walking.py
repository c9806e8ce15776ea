"""Finds and opens the files below a folder, and nothing that lies elsewhere. All of it blocks: call it in a thread.

Everything is opened from the folder's own descriptor and never by a path that is resolved anew, so that a link that is
put there in the middle of a walk leads nowhere. Links are passed over, wherever they point; so are devices and pipes.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".pdf": "application/pdf",
}
MAX_FILES = 500
MAX_BYTES = 20 * 1024 * 1024
"""Of one file."""
MAX_DEPTH = 12


@dataclass(frozen=True)
class Entry:
    """A file that may be read: `name` is its path below the folder, `version` changes with its content."""

    name: str
    media_type: str
    size: int
    version: tuple[int, int, int, int]
    folder: int
    """The descriptor of its folder, valid until the walk goes on."""

    def read(self) -> bytes:
        """Its bytes, MAX_BYTES at most. Raises OSError."""
        # NONBLOCK: what was a file a moment ago may be a pipe by now, and would be waited for.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(PurePosixPath(self.name).name, flags, dir_fd=self.folder)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(f"{self.name} is no file any more")
            return file.read(MAX_BYTES)


def entries(root: Path, part: str = "") -> Iterator[Entry]:
    """The readable files below `root`, in the order of their names; with `part`, those below that part of it."""
    wanted = PurePosixPath(part).parts
    for folder, folders, files, descriptor in os.fwalk(root, follow_symlinks=False):
        here = PurePosixPath(os.path.relpath(folder, root))
        parts = () if here == PurePosixPath() else here.parts
        folders[:] = sorted(name for name in folders if _is_plain(name)) if len(parts) < MAX_DEPTH else []
        if parts[: len(wanted)] != wanted:
            folders[:] = [name for name in folders if (*parts, name) == wanted[: len(parts) + 1]]
            continue
        for name in sorted(files):
            media_type = MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())
            if media_type and _is_plain(name):
                found = _entry(str(here / name), media_type, descriptor)
                if found:
                    yield found


def _entry(name: str, media_type: str, descriptor: int) -> Entry | None:
    try:
        seen = os.stat(PurePosixPath(name).name, dir_fd=descriptor, follow_symlinks=False)
    except OSError:  # gone in the meantime
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    version = (seen.st_dev, seen.st_ino, seen.st_ctime_ns, seen.st_size)
    return Entry(name, media_type, seen.st_size, version, descriptor)


def _is_plain(name: str) -> bool:
    """Hidden ones are somebody's tools', and names that are no text can't be cited."""
    return not name.startswith(".") and name.isprintable()
