"""What runs in one super-step really runs at once: seen by the database, which is made to keep it waiting."""

import asyncio
from typing import Any

from agents.support.state import merge_articles
from tests.agents.support.client import Conversation, wants_refund
from tests.fakes.shop import lock_waiters, locked

THREE_QUESTIONS = (
    "How do I return something, how long does shipping take, and can I pay with a gift card when I return it?"
)


def steps_of(parts: list[tuple[str, Any]], *nodes: str) -> list[int]:
    """The super-step of each task of these nodes, as `debug` tells it."""
    tasks = [data for event, data in parts if event == "debug" and data["type"] == "task"]
    return [task["step"] for task in tasks if task["payload"]["name"] in nodes]


async def test_searches_run_at_once_and_their_articles_are_merged(
    talk: Conversation, served_shop: str
) -> None:
    with locked(served_shop, "lock table shop.articles in access exclusive mode"):
        running = asyncio.create_task(
            talk.stream(["debug", "tasks", "custom"], input=talk.input(THREE_QUESTIONS))
        )
        await lock_waiters(served_shop, like="%shop.articles%", at_least=3)
    parts = await running
    assert steps_of(parts, "search_kb") == [3, 3, 3]
    done = [
        data for event, data in parts if event == "tasks" and data["name"] == "search_kb" and "result" in data
    ]
    found = [article for data in done for article in data["result"]["articles"]]
    told = [data["progress"] for event, data in parts if event == "custom"]
    assert len([text for text in told if text.startswith("searching the help articles: ")]) == 3
    kept = (await talk.state())["values"]["articles"]
    assert len(done) == 3
    assert len(found) > len({article["article_id"] for article in found}), "no article was found twice"
    assert kept == merge_articles([], found)


async def test_order_and_policy_are_looked_up_at_once(talk: Conversation, served_shop: str) -> None:
    tables = "shop.orders, shop.return_policies"
    with locked(served_shop, f"lock table {tables} in access exclusive mode"):
        text = wants_refund(talk.order_id)
        running = asyncio.create_task(talk.stream(["debug", "custom"], input=talk.input(text)))
        await lock_waiters(served_shop, like="%from shop.return_policies%")
        await lock_waiters(served_shop, like="%shop.orders%")
    parts = await running
    assert steps_of(parts, "lookup_order", "check_return_policy") == [3, 3]
    assert ("custom", {"progress": f"looking up order {talk.order_id}"}) in parts
