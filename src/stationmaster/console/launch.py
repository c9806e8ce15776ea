"""The console process that `up` starts: the console on a socket that was bound before.

`python -m stationmaster.console.launch`, with the options of every child (processes/lifeline.py). Settings come from
the environment, in which `up` has put what was settled there.
"""

import asyncio
import signal
import socket
import sys

from stationmaster.console.notes import notes
from stationmaster.console.serve import console_server
from stationmaster.errors import StationmasterError
from stationmaster.processes import lifeline
from stationmaster.settings import load_settings


def main() -> None:
    """Serve until SIGTERM or the end of the lifeline. Exit codes: 0 asked to stop, 1 failed, 2 can't start."""
    options = lifeline.parser("stationmaster.console.launch").parse_args()
    sock = lifeline.adopt(options)
    try:
        asyncio.run(_serve(sock))
    except StationmasterError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(error.exit_code) from None


async def _serve(sock: socket.socket) -> None:
    settings = load_settings()
    server = await console_server(settings)
    for note in await notes(settings):
        sys.stderr.write(f"note: {note}\n")
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.stop)
    await server.run_on(sock)


if __name__ == "__main__":
    main()
