"""A child process that serves nothing: it ends at SIGTERM with 0, or at once with the code in the file EXIT."""

import os
import signal
import sys
from pathlib import Path

from stationmaster.processes import lifeline

EXIT = "exit"


def main() -> None:
    """Says its process id, for the log."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    lifeline.adopt(lifeline.parser("tests.fakes.bare_child").parse_args())
    sys.stdout.write(f"process {os.getpid()}\n")
    sys.stdout.flush()
    code = Path(EXIT)  # in its own directory
    if code.exists():
        sys.exit(int(code.read_text()))
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
