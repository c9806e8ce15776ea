"""`make record`: holds the conversations again and writes down the HTTP exchanges with the model.

With OPENAI_API_KEY a provider answers (at OPENAI_BASE_URL, if set), else the test server with the written rules.
A conversation that takes another course than it should is not written.
"""

import argparse
import asyncio
import os
import sys
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

from agents.shared import database, models
from agents.support.rules import answer as written_rules
from stationmaster.postgres import embedded, migrate
from stationmaster.shop.seed import seed
from tests.agents.support.provider import task_of
from tests.fakes.openai_answers import Action, Call, Responder, by_rules
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.recorded import Recorder, forward
from tests.recordings.conversations import (
    CONVERSATIONS,
    DIRECTORY,
    SCRUBS,
    Conversation,
    OffScript,
    play,
)

OPENAI = "https://api.openai.com/v1"
DEFAULT_MODEL = "openai:gpt-4.1-mini"
TEST_SERVER = "the test server of this repository, which answers by the written rules"


@dataclass(frozen=True)
class Source:
    """Who answers, and under which name that is written into the recordings (never an address with a key in it)."""

    responder: Responder
    name: str

    @classmethod
    def of_environment(cls) -> "Source":
        if not os.environ.get("OPENAI_API_KEY"):
            return cls(by_rules(written_rules), TEST_SERVER)
        base_url = os.environ.get("OPENAI_BASE_URL") or OPENAI
        return cls(forward(base_url), str(urlsplit(base_url).hostname))


async def record(conversation: Conversation, source: Source, *, model: str, directory: Path) -> Path:
    """Hold one conversation on the configured shop and write it; the file. OffScript when it went elsewhere."""
    against = source.name
    if conversation.put_in:
        tasks = ", ".join(task for task, _ in conversation.put_in)
        against += f"; the first answer to {tasks} was put in by hand"
    recorder = Recorder(putting_in(conversation, source.responder), against=against, scrubs=SCRUBS)
    with OpenAIServer.running(recorder) as server, patch.dict(os.environ, OPENAI_BASE_URL=server.url):
        os.environ.setdefault("OPENAI_API_KEY", "no-key-at-all")
        try:
            state = await play(conversation, model=model)
        finally:
            await models.close()
    if state["degraded"]:
        raise OffScript(f"{conversation.name}: {'; '.join(state['degraded'])}")
    path = directory / conversation.path.name
    recorder.save(path)
    return path


def putting_in(conversation: Conversation, source: Responder) -> Responder:
    """The source, but the conversation's `put_in` answers come first."""
    left = deque(conversation.put_in)

    def respond(call: Call) -> Action:
        return left.popleft()[1] if left and left[0][0] == task_of(call) else source(call)

    return respond


async def record_all(names: Iterable[str], *, model: str, directory: Path) -> None:
    """Record on a shop of its own that is seeded now. Raises OffScript, ValueError (a key would be written)."""
    source = Source.of_environment()
    with embedded.temporary() as uri:
        await migrate(uri)
        await seed(uri)
        database.configure(uri)
        try:
            for name in names:
                path = await record(CONVERSATIONS[name], source, model=model, directory=directory)
                sys.stdout.write(f"{path.name}: recorded against {source.name}\n")
        finally:
            await database.close()
            database.configure(None)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"of: {', '.join(CONVERSATIONS)}; all when none is named")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="provider:model that is asked")
    parser.add_argument("--directory", type=Path, default=DIRECTORY, help="where the recordings are written")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in CONVERSATIONS]
    if unknown:
        parser.error(f"no conversation {unknown[0]!r}; there are {', '.join(CONVERSATIONS)}")
    try:
        names = asked.names or CONVERSATIONS
        asyncio.run(record_all(names, model=asked.model, directory=asked.directory))
    except (OffScript, ValueError) as error:
        sys.stderr.write(f"error: {error}. Nothing was written for this conversation\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
