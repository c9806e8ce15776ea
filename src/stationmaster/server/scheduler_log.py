"""A slot that is skipped is no error of the scheduler's: one line at level info, instead of a page of traceback."""

import logging
from contextvars import ContextVar

SCHEDULER = "langgraph_api.cron_scheduler"
"""The logger of the stock server's cron loop, which logs every run that was refused as an error."""

_REFUSED: ContextVar[str | None] = ContextVar("stationmaster_slot_refused", default=None)


def say_instead(reason: str) -> None:
    """What the scheduler's next error, in this task, really is."""
    _REFUSED.set(reason)


class _Plainly(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        reason = _REFUSED.get()
        if reason is None or record.levelno < logging.ERROR:
            return True
        _REFUSED.set(None)
        record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
        if isinstance(record.msg, dict):  # structlog's, on its way to the formatter
            kept = {key: value for key, value in record.msg.items() if key not in ("exception", "exc_info")}
            record.msg = {**kept, "event": reason, "level": "info"}
        else:
            record.msg, record.args = reason, ()
        return logging.getLogger(SCHEDULER).isEnabledFor(logging.INFO)


def install() -> None:
    """Once a process."""
    logger = logging.getLogger(SCHEDULER)
    if not any(isinstance(present, _Plainly) for present in logger.filters):
        logger.addFilter(_Plainly())
