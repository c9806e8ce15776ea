"""The sender: takes webhooks from the outbox, and tries each until it arrives or a day is over."""

import asyncio
import random
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
AT_ONCE = 10
FIRST_DELAY_S, LONGEST_DELAY_S = 1.0, 900.0
CONNECT_S, ANSWER_S = 5.0, 30.0
logger = structlog.stdlib.get_logger(__name__)


class Sender:
    """One a process; any number of them share an outbox."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled. What was being sent then is sent again by the next."""
        while True:
            self.wake.clear()
            try:
                if await self.send_due():
                    continue
            except RuntimeTrouble as error:
                logger.warning("can't read the webhooks to send", error=str(error))
            try:
                async with asyncio.timeout(2 * config().poll_s):
                    await self.wake.wait()
            except TimeoutError:
                pass

    async def send_due(self) -> int:
        """Send what is due; how many were tried."""
        due = await database.fetch(QUERIES["claim"], {"limit": AT_ONCE, "keep": config().hooks_keep_s})
        await asyncio.gather(*(self._send(row) for row in due))
        return len(due)

    async def _send(self, row: dict[str, Any]) -> None:
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
    """One try; why it failed, None if it arrived. The URL is judged again: the policy may be another by now."""
    from langgraph_api.config import WEBHOOKS_CONFIG
    from langgraph_api.http import ensure_webhook_http_client, get_loopback_client
    from langgraph_api.serde import json_dumpb
    from langgraph_api.webhook import validate_webhook_url_or_raise

    allowed = WEBHOOKS_CONFIG.get("allowed_fields") if WEBHOOKS_CONFIG else None
    if not allowed or SENT_AT in allowed:
        payload = {**payload, SENT_AT: datetime.now(UTC).isoformat()}
    body = json_dumpb(payload)
    headers = {**((WEBHOOKS_CONFIG or {}).get("headers") or {}), **signed(hook_id, body)}
    try:
        await validate_webhook_url_or_raise(url)
        client = get_loopback_client() if url.startswith("/") else await ensure_webhook_http_client()
        await client.post(
            url, content=body, headers=headers, connect_timeout=CONNECT_S, request_timeout=ANSWER_S
        )
    except HTTPException as error:
        return f"the URL is refused: {error.detail}"
    except httpx.HTTPStatusError as error:
        return f"the receiver answered {error.response.status_code}"
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return None


SENDER = Sender()
