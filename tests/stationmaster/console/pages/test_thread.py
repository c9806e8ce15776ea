"""The thread beside a question: messages and state as the Agent Server has them, or one line why not."""

from typing import Any

from pydantic import SecretStr

from stationmaster.console.pages import thread
from stationmaster.reviews import decide
from stationmaster.reviews.model import Submission
from stationmaster.reviews.results import Result
from stationmaster.settings import Settings
from tests.fakes.agent_server import AgentServer, free_port
from tests.stationmaster.console.pages.conftest import BO, Desk
from tests.stationmaster.console.pages.questions import EVIL, ask_refund


def settings_of(url: str, key: str | None = None) -> Settings:
    defaults: dict[str, Any] = {name: field.get_default() for name, field in Settings.model_fields.items()}
    secret = SecretStr(key) if key else None
    return Settings.model_construct(**defaults).model_copy(update={"api_url": url, "api_key": secret})


async def test_a_real_thread(support: AgentServer):
    async with support.sdk() as sdk:
        made = await sdk.threads.create()
        asked = {
            "messages": [{"role": "user", "content": "Where is my order 88123?"}],
            "ticket_id": "T-pages",
        }
        await sdk.runs.wait(made["thread_id"], "support", input=asked)
    found = await thread.look(settings_of(support.url), made["thread_id"])
    assert found.problem == "" and found.messages is not None and found.state is not None
    assert [message.role_label for message in found.messages.items][:1] == ["Customer"]
    assert found.messages.items[0].body.text == "Where is my order 88123?"
    gone = await thread.look(settings_of(support.url), "00000000-0000-4000-8000-000000000000")
    assert gone.problem == "The thread is no longer there."


async def test_a_server_that_is_not_there():
    found = await thread.look(settings_of(f"http://127.0.0.1:{free_port()}"), "thread")
    assert "no Agent Server answers" in found.problem


def test_long_conversations_and_odd_states():
    many = [{"type": "human", "content": f"{number} {EVIL}"} for number in range(40)]
    found = thread.of_state({"messages": many, "draft": "x"})
    assert found.earlier == 28 and found.messages is not None and len(found.messages.items) == 12
    assert thread.of_state({"messages": [1, 2]}).messages is None
    assert thread.of_state(None).state is not None and thread.of_state([]).messages is None


def test_what_came_of_it_shows_words_first_and_folds_the_rest():
    state = {"outcome": "refunded", "draft": "x" * 200, "decision": {"status": "paid", "why": "w" * 170}}
    many = {f"key{number}": number for number in range(20)}
    made = thread.of_result(
        Result(({"type": "ai", "content": EVIL},), {**state, "many": many, "none": None, "empty": []})
    )
    assert made.messages is not None and made.short is not None and made.rest is not None
    assert made.messages.items[0].body.text == EVIL
    assert [pair.key for pair in made.short.items] == ["outcome", "decision"]
    assert [pair.key for pair in made.rest.items] == ["draft", "many"]
    odd = thread.of_result(Result(({"no": "message"},)))
    assert odd.messages is None and odd.rest is not None
    assert thread.of_result(Result()) == thread.CameOfIt()


async def test_a_finished_review_says_where_its_result_stands_and_why_it_can_not_be_read(desk: Desk):
    await desk.person("bo")
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("lea") as lea:
        assert "What came of it" not in (await lea.get(f"/reviews/{review_id}")).text
        await decide.decide(desk.pool, review_id, BO, Submission("approve"), undo_s=0)
        await desk.change(review_id, state="sent", sent_at="now")
        await desk.change(review_id, state="consumed", consumed_at="now", resume_run_id="run-1")
        await desk.change(review_id, state="finished", ended_at="now", closed_at="now", run_status="success")
        page = (await lea.get(f"/reviews/{review_id}")).text
        assert f'data-load="/reviews/{review_id}/result"' in page
        shown = await lea.get(f"/reviews/{review_id}/result")
    assert shown.status_code == 200 and "no Agent Server answers" in shown.text
