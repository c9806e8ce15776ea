"""One process of the jail, watched until it ends or is ended. Blocking: for a thread."""

import os
import selectors
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from agents.shared.sandbox.verdicts import Ending

SOURCES = Path(__file__).parents[3]
BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from agents.shared.sandbox.jail.start import main; "
    "sys.path.pop(0); main(int(sys.argv[2]))"
)
LARGEST_REPORT = 256_000
LARGEST_OUTPUT = 8_000
POLL_S = 0.1
LARGEST_PLACE = 64_000_000
"""Bytes of all files together, looked at between two polls. With a disk of its own there is nothing to see here."""


@dataclass
class Jailed:
    """A process, what it has said so far, and how it ended. What is beyond a limit is read and thrown away."""

    process: subprocess.Popen[bytes]
    place: Path
    report_end: int
    unsent: memoryview
    report: bytearray = field(default_factory=bytearray)
    output: bytearray = field(default_factory=bytearray)
    too_large: bool = False

    @classmethod
    def start(cls, python: str, place: Path, spec: bytes) -> "Jailed":
        """With nothing of ours: not our environment, not our files, not our terminal."""
        report_end, its_end = os.pipe()
        try:
            process = subprocess.Popen(  # noqa: S603 - the interpreter is ours, the code goes by standard input
                [python, "-I", "-S", "-B", "-c", BOOT, str(SOURCES), str(its_end)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={"HOME": str(place), "TMPDIR": str(place), "LC_ALL": "C.UTF-8", "PATH": ""},
                cwd="/",
                pass_fds=[its_end],
                start_new_session=True,
            )
        except BaseException:
            os.close(report_end)
            raise
        finally:
            os.close(its_end)
        return cls(process, place, report_end, memoryview(spec))

    def watch(self, time_s: float, stop: threading.Event) -> Ending:
        """Until it has closed what it reports to, or its time is up, or `stop` is set; then it is gone."""
        begun = time.monotonic()
        try:
            out_of_time = not self._listen(begun + time_s, stop)
        finally:
            os.kill(self.process.pid, signal.SIGKILL)  # not Popen.kill, which would reap it first
            _, status, used = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self._close()
        return Ending(
            code=self.process.returncode,
            seconds=time.monotonic() - begun,
            out_of_time=out_of_time,
            too_large=self.too_large,
            cpu_s=used.ru_utime + used.ru_stime,
            output=self.output.decode(errors="replace"),
        )

    def _listen(self, deadline: float, stop: threading.Event) -> bool:
        """False when the time was up first."""
        assert self.process.stdin
        assert self.process.stdout
        with selectors.DefaultSelector() as waiting:
            for end, kept, most in (
                (self.report_end, self.report, LARGEST_REPORT),
                (self.process.stdout.fileno(), self.output, LARGEST_OUTPUT),
            ):
                os.set_blocking(end, False)
                waiting.register(end, selectors.EVENT_READ, (kept, most))
            os.set_blocking(self.process.stdin.fileno(), False)
            waiting.register(self.process.stdin, selectors.EVENT_WRITE, None)
            while self.report_end in waiting.get_map() and not stop.is_set():
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                if _size(self.place) > LARGEST_PLACE:
                    self.too_large = True
                    return True
                for key, _ in waiting.select(min(left, POLL_S)):
                    if not (self._send() if key.data is None else _take(key.fd, *key.data)):
                        waiting.unregister(key.fileobj)
            self._read_on()
        return True

    def _send(self) -> bool:
        assert self.process.stdin
        try:
            self.unsent = self.unsent[os.write(self.process.stdin.fileno(), self.unsent) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            self.unsent = self.unsent[:0]
        if not self.unsent:
            self.process.stdin.close()
        return bool(self.unsent)

    def _read_on(self) -> None:
        """What it had printed before it ended; it stands in the pipe."""
        assert self.process.stdout
        while _take(self.process.stdout.fileno(), self.output, LARGEST_OUTPUT, again=False):
            continue

    def _close(self) -> None:
        os.close(self.report_end)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()


def _size(place: Path) -> int:
    found = 0
    for directory, _, names in os.walk(place):
        for name in names:
            with suppress(OSError):
                found += Path(directory, name).lstat().st_size
    return found


def _take(end: int, kept: bytearray, most: int, *, again: bool = True) -> bool:
    """Read what is there, keep what fits; False at the end, and, without `again`, when nothing is there for now."""
    try:
        piece = os.read(end, 65_536)
    except BlockingIOError:
        return again
    kept += piece[: most - len(kept)]
    return bool(piece)
