"""Send one message through apprise: in threads of our own, and without a word of the channel's URL getting out."""

import asyncio
import logging
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self
from urllib.parse import unquote

from stationmaster.receivers import Channel
from stationmaster.reviews.notify.wording import Message
from stationmaster.reviews.outbox.worker import AT_ONCE, NotAccepted

TOTAL_S = 60.0
UNUSABLE = "apprise can't use this URL: compare it with the page of that service at appriseit.com"
# What apprise, and the HTTP library below it, write to; they know URLs with tokens in them.
_LOGGERS = (
    "apprise",
    "urllib3.connectionpool",
    "urllib3.connection",
    "urllib3.util.retry",
    "requests_oauthlib",
)
_SEPARATORS = re.compile(r"[/:@?&=#,;+\s]+")
_HIDDEN = "***"


class _Heard(logging.Filter):
    """Keeps what a sending thread logs: warnings for us, and nothing for any log."""

    def __init__(self) -> None:
        super().__init__()
        self._threads = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        said: list[str] | None = getattr(self._threads, "said", None)
        if said is None:
            return True
        if record.levelno >= logging.WARNING:
            said.append(record.getMessage())
        return False

    @contextmanager
    def listening(self) -> Iterator[list[str]]:
        """What this thread logs meanwhile."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)  # a filter that is there already is not added again
        self._threads.said = []
        try:
            yield self._threads.said
        finally:
            self._threads.said = None


_heard = _Heard()


class Sender:
    """A context manager: threads for one round. apprise blocks, and a channel may hang up to its own time limit."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="notify")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def send(self, channel: Channel, message: Message) -> None:
        """Returns once the channel accepted it; NotAccepted says why it did not, without secrets."""
        sending = asyncio.get_running_loop().run_in_executor(self._threads, _send, channel, message)
        try:
            async with asyncio.timeout(TOTAL_S):
                await sending
        except TimeoutError:
            raise NotAccepted(f"no answer within {TOTAL_S:.0f} s") from None


def wrong_with(channel: Channel) -> str | None:
    """Why a channel can't work, as far as its URL shows; blocks."""
    with _heard.listening():
        return None if _service(channel) is not None else UNUSABLE


def _service(channel: Channel) -> Any:
    import apprise  # half a second, which only a process that sends should pay

    asset = apprise.AppriseAsset(
        app_id="Stationmaster", app_desc="Stationmaster", app_url="", secure_logging=True
    )
    return apprise.Apprise.instantiate(channel.url.get_secret_value(), asset=asset)


def _send(channel: Channel, message: Message) -> None:
    with _heard.listening() as said:
        service = _service(channel)
        if service is None:
            raise NotAccepted(UNUSABLE, final=True)
        try:
            accepted = service.notify(title=message.subject, body=message.body, body_format="text")
        except Exception as error:  # noqa: BLE001 - over a hundred services, by others: none may stop the rest
            raise NotAccepted(f"apprise failed on it ({type(error).__name__})") from None
    if not accepted:
        raise NotAccepted(scrubbed("; ".join(said), channel) or "it was not accepted, without a reason")


def scrubbed(text: str, channel: Channel) -> str:
    """Text that apprise wrote, on one line, with every part of the channel's URL hidden."""
    url = channel.url.get_secret_value().partition("://")[2]
    written = [*_SEPARATORS.split(url), *_SEPARATORS.split(unquote(url))]
    parts = {part for each in written for part in (each, unquote(each)) if len(part) > 2}
    for part in sorted(parts, key=len, reverse=True):
        text = text.replace(part, _HIDDEN)
    return " ".join(text.split())
