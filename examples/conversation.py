"""One conversation with one assistant, as the terminal chat leads it: all that speaks to the server stands here."""

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient

from examples.terminal import Terminal
from stationmaster.client import Fork, correct, edit_message, standing, stream, wait_for_person


@dataclass
class Conversation:
    """`thread_id` may be that of an older conversation."""

    client: LangGraphClient
    assistant_id: str
    terminal: Terminal
    canary_key: str | None
    thread_id: str = ""

    async def begin(self) -> None:
        """A new thread."""
        self.thread_id = (await self.client.threads.create())["thread_id"]

    async def say(self, text: str) -> None:
        """Send a message and show what comes of it."""
        await self._run(input={"messages": [{"role": "user", "content": text}]})

    async def edit(self, number: int | None, text: str) -> None:
        """Put a message differently and go on from there; the rest stays in the thread's history."""
        said = await self.said()
        if not said or (number is not None and not 1 <= number <= len(said)):
            self.terminal.note("There is no such message of yours; /history numbers them.")
            return
        message = said[(number or len(said)) - 1]
        await self._fork(await edit_message(self.client, self.thread_id, message["id"], text))

    async def correct(self, node: str, values: dict[str, Any]) -> None:
        """Overrule what a node has written."""
        await self._fork(await correct(self.client, self.thread_id, values, as_node=node))

    async def answer(self, answer: Any) -> None:
        """Answer the question that the thread waits at."""
        questions = (await standing(self.client, self.thread_id)).questions
        if len(questions) != 1:
            self.terminal.note(f"{len(questions)} questions wait here; there is one to answer at a time.")
            return
        await self._run(command={"resume": {questions[0].id: answer}})

    async def wait(self, *, only_if_needed: bool = False) -> None:
        """Wait for a person, and show what came of it."""
        first = await standing(self.client, self.thread_id)
        if not first.questions and not first.busy:
            if not only_if_needed:
                self.terminal.note("Nothing waits for a person here.")
            return
        if only_if_needed:
            for question in first.questions:
                self.terminal.asks(question)
        clock = asyncio.create_task(self._clock())
        try:
            waited = await wait_for_person(self.client, self.thread_id, tell=self.terminal.note)
        finally:
            clock.cancel()
            self.terminal.status("")
        now = waited.standing
        if now.questions:
            self.terminal.good("and there is another question.")
            self.terminal.asks(now.questions[0])
            await self.wait()
        elif now.error:
            self.terminal.trouble(f"the run failed after the answer: {now.error}")
        else:
            last = next(iter(reversed(now.values.get("messages") or [])), {})
            as_drafted = last.get("content", "").strip() == self.terminal.drafted.strip()
            self.terminal.good("the reply above was sent." if as_drafted else "this was sent:")
            self.terminal.said(last.get("content", ""))

    async def history(self) -> None:
        """The conversation as it stands."""
        number = 0
        for message in await self._messages():
            if message["type"] == "human":
                number += 1
                self.terminal.person(number, message["content"])
            elif message["type"] == "ai":
                self.terminal.drafted = ""
                self.terminal.said(message["content"])

    async def said(self) -> list[dict[str, Any]]:
        """What the person at the keyboard has said."""
        return [message for message in await self._messages() if message["type"] == "human"]

    async def _messages(self) -> list[dict[str, Any]]:
        values: Any = (await self.client.threads.get_state(self.thread_id))["values"]
        return values.get("messages", []) if values else []

    async def _fork(self, fork: Fork) -> None:
        self.terminal.note(
            "The earlier branch stays in the history, and what it did (mail, money) stays done."
        )
        await self._run(checkpoint=fork.checkpoint)

    async def _run(self, **what: Any) -> None:
        terminal = self.terminal
        terminal.begin()
        terminal.status("...")
        parts = stream(
            self.client, self.thread_id, self.assistant_id,
            canary_key=self.canary_key, tell=terminal.note, **what,
        )  # fmt: skip
        async with contextlib.aclosing(parts):
            async for part in parts:
                terminal.show(part)
        terminal.end()
        if terminal.forgotten:
            await self._read_back()
        for question in terminal.questions:
            terminal.asks(question)
        if terminal.questions:
            await self.wait()

    async def _read_back(self) -> None:
        """The stream had a gap: what the thread's state says counts."""
        now = await standing(self.client, self.thread_id)
        self.terminal.questions = list(now.questions)
        last = next(iter(reversed(now.values.get("messages") or [])), {})
        if last.get("type") == "ai":
            self.terminal.said(last["content"])

    async def _clock(self) -> None:
        began = time.monotonic()
        while True:
            minutes, seconds = divmod(int(time.monotonic() - began), 60)
            self.terminal.status(f"waiting for a person, {minutes}:{seconds:02} (Ctrl-C to stop waiting)")
            await asyncio.sleep(1)
