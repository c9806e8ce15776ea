"""The sender: takes webhooks from the outbox, and tries each until it arrives or a day is over."""

import asyncio
import random
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import structlog
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.config import config
from langgraph_runtime_community.errors import RuntimeTrouble
from langgraph_runtime_community.hooks.payload import SENT_AT
from langgraph_runtime_community.hooks.signing import signed
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("sending.sql"))
AT_ONCE, OF_A_RECEIVER = 20, 5
FIRST_DELAY_S, LONGEST_DELAY_S = 1.0, 900.0
LEAST_TRIES = 10
"""A quarter of an hour: one that nobody could try while the servers were away is not given up at once."""
CONNECT_S, ANSWER_S = 5.0, 30.0
WHOLE_TRY_S = 40.0
"""Less than the minute for which nobody else tries it. A receiver that answers a byte at a time ends no other limit."""
logger = structlog.stdlib.get_logger(__name__)


class Sender:
    """One a process; any number of them share an outbox. Each webhook is a task of its own: none holds up others,
    and one receiver gets so many at once only, so that it can't take all places."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self._trying: dict[asyncio.Task[None], str] = {}

    async def run(self) -> None:
        """Until cancelled. What was being sent then is sent again by the next."""
        try:
            while True:
                self.wake.clear()
                try:
                    if await self._begin():
                        continue
                except RuntimeTrouble as error:
                    logger.warning("can't read the webhooks to send", error=str(error))
                with suppress(TimeoutError):
                    async with asyncio.timeout(2 * config().poll_s):
                        await self.wake.wait()
        finally:
            for task in self._trying:
                task.cancel()

    async def _begin(self) -> int:
        """Begin to send what is due and has room; how many."""
        if (room := AT_ONCE - len(self._trying)) <= 0:
            return 0
        busy = [host for host, count in Counter(self._trying.values()).items() if count >= OF_A_RECEIVER]
        limit, keep = min(room, OF_A_RECEIVER), config().hooks_keep_s
        params = {"limit": limit, "keep": keep, "least": LEAST_TRIES, "busy": busy}
        due = await database.fetch(QUERIES["claim"], params)
        for row in due:
            task = asyncio.get_running_loop().create_task(self._send(row))
            self._trying[task] = row["receiver"]
            task.add_done_callback(self._done)
        return len(due)

    def _done(self, task: asyncio.Task[None]) -> None:
        del self._trying[task]
        self.wake.set()

    async def _send(self, row: dict[str, Any]) -> None:
        """One try and what comes of it. It never fails: what can't be noted now comes again in a minute."""
        try:
            await self._try(row)
        except Exception as error:
            logger.exception("a webhook could not be tried", run_id=str(row["run_id"]), exc_info=error)

    async def _try(self, row: dict[str, Any]) -> None:
        reason = await attempt(str(row["hook_id"]), row["url"], row["payload"])
        if reason is None:
            await database.execute(QUERIES["sent"], {"hook_id": row["hook_id"]})
            return
        delay = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** (row["tries"] - 1)) * random.uniform(0.8, 1.2)  # noqa: S311
        params = {"hook_id": row["hook_id"], "delay": delay, "error": reason[:500], "dead": row["last"]}
        await database.execute(QUERIES["failed"], params)
        logger.warning(
            "a webhook did not arrive", run_id=str(row["run_id"]), reason=reason, given_up=row["last"]
        )


async def attempt(hook_id: str, url: str, payload: dict[str, Any]) -> str | None:
    """One try; why it failed, whatever it was, None if it arrived."""
    try:
        async with asyncio.timeout(WHOLE_TRY_S):
            await _post(hook_id, url, payload)
    except HTTPException as error:
        return f"the URL is refused: {error.detail}"
    except httpx.HTTPStatusError as error:
        return f"the receiver answered {error.response.status_code}"
    except TimeoutError:
        return f"no whole answer within {WHOLE_TRY_S:.0f} s"
    except Exception as error:  # noqa: BLE001  a receiver decides what fails here, and it must not end the sender
        return f"{type(error).__name__}: {error}"
    return None


async def _post(hook_id: str, url: str, payload: dict[str, Any]) -> None:
    """The URL is judged again: the policy may be another by now."""
    from langgraph_api.config import WEBHOOKS_CONFIG
    from langgraph_api.http import ensure_webhook_http_client, get_loopback_client
    from langgraph_api.serde import json_dumpb
    from langgraph_api.webhook import validate_webhook_url_or_raise

    allowed = WEBHOOKS_CONFIG.get("allowed_fields") if WEBHOOKS_CONFIG else None
    if not allowed or SENT_AT in allowed:
        payload = {**payload, SENT_AT: datetime.now(UTC).isoformat()}
    body = json_dumpb(payload)
    headers = {**((WEBHOOKS_CONFIG or {}).get("headers") or {}), **signed(hook_id, body)}
    await validate_webhook_url_or_raise(url)
    client = get_loopback_client() if url.startswith("/") else await ensure_webhook_http_client()
    await client.post(url, content=body, headers=headers, connect_timeout=CONNECT_S, request_timeout=ANSWER_S)


SENDER = Sender()
