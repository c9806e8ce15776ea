"""A running service's record in the data directory, and the lock that says whether it still lives."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from stationmaster.processes import claims

R = TypeVar("R")


@dataclass(frozen=True)
class Records(Generic[R]):
    """The records of one kind of service, as dataclasses `made_of`: file and lock by name, `made_by` as a message names
    its command; `taken` says of a record, None where it is not there yet, who holds the data directory."""

    made_of: Callable[..., R]
    name: str
    lock: str
    made_by: str
    taken: Callable[[R | None, Path], str]

    @contextmanager
    def claim(self, data_dir: Path) -> Iterator[int]:
        """Hold the data directory for one such service; yields the lock's descriptor, for its children to hold as well.
        AlreadyRunning says who has it."""
        with claims.claim(
            data_dir / self.lock, lambda: self.taken(self.read(data_dir), data_dir)
        ) as descriptor:
            yield descriptor

    def is_claimed(self, data_dir: Path) -> bool:
        """Whether one lives there."""
        return claims.is_claimed(data_dir / self.lock)

    def write(self, data_dir: Path, record: R) -> None:
        """Replace the record, readable by its owner alone."""
        made: Any = record
        claims.write_private(data_dir / self.name, asdict(made))

    def read(self, data_dir: Path) -> R | None:
        """The record, or None if there is none; whether its service lives is for `is_claimed` to say."""
        path = data_dir / self.name
        found = claims.read_private(path, self.made_by)
        try:
            return found if found is None else self.made_of(**found)
        except TypeError:
            raise claims.unreadable(path, self.made_by) from None

    def remove(self, data_dir: Path) -> None:
        """It has ended in order."""
        (data_dir / self.name).unlink(missing_ok=True)
