"""The two roots of every error of the agents: worth another try, or not."""


class TransientError(Exception):
    """Something outside failed for now; the same call may work a moment later.

    `retry_after_s` is how long the other side asked us to wait, in seconds, when it did.
    """

    def __init__(self, message: str = "", *, retry_after_s: float | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").partition("\n")[0])
        self.retry_after_s = retry_after_s


class PermanentError(Exception):
    """The same call would fail again: someone has to change something first."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").partition("\n")[0])
