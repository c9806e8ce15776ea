"""The two roots of every error of the agents: worth another try, or not; and what is said of one to whom.

A message is for callers, too: it ends in a thread's state, and customers' apps read that. Hosts, ports, and what the
other side answered go into `detail`, which is for logs. Both are RuntimeErrors, since of an exception of a kind that it
doesn't know the Agent Server tells the caller of a run "An internal error occurred" and nothing else.
"""


class TransientError(RuntimeError):
    """Something outside failed for now; the same call may work a moment later.

    `retry_after_s` is how long the other side asked us to wait, in seconds, when it did.
    """

    def __init__(self, message: str = "", *, retry_after_s: float | None = None, detail: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").partition("\n")[0])
        self.retry_after_s = retry_after_s
        self.detail = detail


class PermanentError(RuntimeError):
    """The same call would fail again: someone has to change something first."""

    def __init__(self, message: str = "", *, detail: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").partition("\n")[0])
        self.detail = detail


def told(error: BaseException) -> str:
    """What callers are told of it: its kind and, of our own errors, the message. Others' words may hold anything."""
    kind = type(error).__name__
    if isinstance(error, TransientError | PermanentError):
        return f"{kind}: {error}"
    return f"{kind}: something that is needed for it failed"


def in_full(error: BaseException) -> str:
    """All that is known of it, on one line: for logs and operators."""
    detail = getattr(error, "detail", "") or str(error.__cause__ or "")
    said = f"{error} ({detail})" if detail else str(error)
    return f"{type(error).__name__}: {' '.join(said.split())}"
