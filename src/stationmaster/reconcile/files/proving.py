"""An edit read as the next plan will read it, before it is written; and written as a whole or not at all."""

import os
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

from stationmaster.reconcile.files.reading import Files, read
from stationmaster.reconcile.files.writing import NotEditable


def prove(texts: Mapping[Path, str], files: Files, folders: tuple[Path, Path]) -> None:
    """NotEditable if the folders would have a problem that they don't have now: a secret, a name without a file."""
    with TemporaryDirectory() as directory:
        copies = Path(directory) / "assistants", Path(directory) / "crons"
        for folder, copy in zip(folders, copies, strict=True):
            if folder.is_dir():
                shutil.copytree(folder, copy)
            for path, text in texts.items():
                if path.is_relative_to(folder):
                    target = copy / path.relative_to(folder)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(text, encoding="utf-8")
        known = {problem.message for problem in files.problems}
        for problem in read(*copies).problems:
            if problem.message not in known:
                said = str(problem)
                for folder, copy in zip(folders, copies, strict=True):
                    said = said.replace(str(copy), str(folder))
                raise NotEditable(f"nothing was written, since the next plan would refuse it: {said}")


def put(texts: Mapping[Path, str]) -> None:
    """Every file as a whole, with the line ends and the rights that it has; none before all could be written."""
    with ExitStack() as stack:
        made: list[tuple[str, Path]] = []
        for path, text in texts.items():
            target = path.resolve()  # a link stays one
            target.parent.mkdir(parents=True, exist_ok=True)
            beside = stack.enter_context(
                NamedTemporaryFile("wb", dir=target.parent, prefix=f".{target.name}.", delete=False)
            )
            stack.callback(Path(beside.name).unlink, missing_ok=True)
            beside.write(_bytes(text, target))
            beside.flush()
            os.fsync(beside.fileno())
            if target.exists():
                shutil.copymode(target, beside.name)
            else:
                Path(beside.name).chmod(0o666 & ~_umask())
            made.append((beside.name, target))
        for name, target in made:
            Path(name).replace(target)


def _bytes(text: str, target: Path) -> bytes:
    before = target.read_bytes() if target.exists() else b""
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    return mark + (text.replace("\n", "\r\n") if b"\r\n" in before else text).encode()


def _umask() -> int:
    """It can only be read by setting it."""
    found = os.umask(0)
    os.umask(found)
    return found
