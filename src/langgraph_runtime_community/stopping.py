"""That the process was asked to stop, known from the signal on: uvicorn ends the lifespan only after open requests, and
cuts those that take longer, as if their clients had gone."""

import asyncio
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType


class Stop:
    """Of this process. `asked` is true in the signal handler already."""

    def __init__(self) -> None:
        self.at: float | None = None
        self._told: list[Callable[[], None]] = []

    @property
    def asked(self) -> bool:
        """Whether a request that ends now may have been cut off by us."""
        return self.at is not None

    def seconds_ago(self) -> float:
        """How long ago that was; 0.0 where nobody asked."""
        return time.monotonic() - self.at if self.at else 0.0

    def tell(self, close: Callable[[], None]) -> None:
        """Call this on the event loop as soon as the signal comes; at once if it has come."""
        self._told.append(close)
        if self.asked:
            close()

    def watch(self) -> Callable[[], None]:
        """Come before the handlers that are there; what undoes it. Signals can be had in the main thread only."""
        self.at, self._told = None, []
        if threading.current_thread() is not threading.main_thread():
            return lambda: None
        loop, before = asyncio.get_running_loop(), {}

        def handle(number: int, frame: FrameType | None) -> None:
            self.at = self.at or time.monotonic()
            for close in self._told:
                loop.call_soon_threadsafe(close)
            handler = before[number]
            if callable(handler):
                handler(number, frame)

        for number in (signal.SIGTERM, signal.SIGINT):
            before[number] = signal.getsignal(number)
            signal.signal(number, handle)

        def undo() -> None:
            for number, handler in before.items():
                signal.signal(number, handler)

        return undo


STOP = Stop()
