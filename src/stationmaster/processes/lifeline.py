"""What a child process of `up` begins with: the descriptors that it inherited, and the watch over its parent.

`python -m MODULE --socket FD --lifeline FD --claim FD`. The other end of the lifeline is held by `up` alone, so the
kernel tells of any death of `up`, `kill -9` included (unlike a parent-death signal, on every Unix and without a
race). The claim is `up`'s lock on the data directory: held here too, it lasts until the child is gone as well.
"""

import argparse
import os
import signal
import socket
import threading

# Without `up` nobody is left to insist, so a shutdown that hangs ends here, or after the child's own grace.
ORPHAN_GRACE_S = 20.0


def parser(module: str) -> argparse.ArgumentParser:
    """With the options that every child gets; a module adds its own."""
    made = argparse.ArgumentParser(prog=module)
    made.add_argument("--socket", type=int, required=True)
    made.add_argument("--lifeline", type=int, required=True)
    made.add_argument("--claim", type=int, required=True)
    made.add_argument("--log-level", default="warning")
    made.add_argument(
        "--grace", type=float, default=ORPHAN_GRACE_S, help="what a clean end may take, in seconds"
    )
    return made


def adopt(options: argparse.Namespace) -> socket.socket:
    """The socket to serve on. From here on the end of `up` is a SIGTERM to this process."""
    for descriptor in (options.socket, options.lifeline, options.claim):
        os.set_inheritable(descriptor, False)  # not for what may be started from here
    grace = max(ORPHAN_GRACE_S, options.grace)
    threading.Thread(target=_watch, args=(options.lifeline, grace), daemon=True).start()
    return socket.socket(fileno=options.socket)


def _watch(lifeline: int, grace_s: float) -> None:
    """Nothing is ever written to the lifeline: the read returns when its other end is gone."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(grace_s)
    os._exit(1)
