"""LangSmith's client tells of each batch that it can't deliver, a page with parts of the key: here one line an hour."""

import logging
import time

_LOGGER = "langsmith.client"
_EVERY_S = 3600.0


class OneLine(logging.Filter):
    """Lets a first complaint pass, in words of ours, and then none for an hour."""

    def __init__(self) -> None:
        super().__init__()
        self._told: float | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        now = time.monotonic()
        if self._told is not None and now - self._told < _EVERY_S:
            return False
        self._told = now
        record.msg = (
            "LangSmith takes no traces: they are dropped, runs are not held up. Look at LANGSMITH_API_KEY and "
            "LANGSMITH_ENDPOINT, or unset LANGSMITH_TRACING"
        )
        record.args, record.exc_info, record.exc_text, record.stack_info = (), None, None, None
        return True


def keep_quiet() -> None:
    """From now on, in this process; a second time changes nothing."""
    logger = logging.getLogger(_LOGGER)
    if not any(isinstance(each, OneLine) for each in logger.filters):
        logger.addFilter(OneLine())
