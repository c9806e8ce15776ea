"""A terminal chat with a live assistant: streams words, shows when it waits for a person, edits what was said.

    python examples/chat.py                                  # the assistant `support` of a server on this machine
    python examples/chat.py --url https://... --thread ID    # somewhere else (key: STATIONMASTER_API_KEY); go on
    python examples/chat.py --graph support                  # a graph's own assistant, as under plain `langgraph dev`

Ctrl-C stops waiting, Ctrl-D ends the chat; whatever is under way goes on without it.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from examples.conversation import Conversation
from examples.place import HELP as WHERE
from examples.place import find_place
from examples.terminal import MARGIN, Terminal, plain, styled
from stationmaster.client import ClientError, resolve
from stationmaster.errors import StationmasterError

try:
    import readline
except ImportError:  # a terminal without it has no line editing
    readline = None

ANSWER_S = 5.0
"""For a server to answer at the start; the SDK alone would try to connect for 15 seconds."""
FAILURES = (ClientError, httpx.HTTPError)
HELP = {
    "/edit [N] [TEXT]": "say your last message (or the Nth) differently, and go on from there",
    "/correct NODE JSON": 'overrule a node: /correct classify {"intent": "human"}',
    "/wait": "go on waiting for a person",
    "/answer JSON": 'be that person, where there is no inbox: /answer {"action": "approve"}',
    "/history": "the conversation, with the numbers of your messages",
    "/new": "another conversation",
    "/quit": "end the chat (as Ctrl-D does)",
}


def main() -> int:
    """Read lines and carry them out until the end of input; the exit code."""
    options = parsed()
    try:
        place = find_place(options.url)
    except StationmasterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with asyncio.Runner() as runner:
        client = get_client(url=place.url, api_key=place.key)
        try:
            chat = runner.run(asyncio.wait_for(opened(client, options), ANSWER_S))
        except (*FAILURES, TimeoutError) as error:
            print(f"error: {plain(explained(error, place.url))}", file=sys.stderr)
            return 2
        else:
            if place.inbox:
                chat.terminal.note(f"What waits for a person is answered in the inbox, {place.inbox}")
            attended(runner, chat, lambda: chat.wait(only_if_needed=True))
            while (line := read("you")) is not None:
                if line and not carried_out(runner, chat, line):
                    break
        finally:
            runner.run(client.aclose())
    return 0


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="A terminal chat with an assistant of a Stationmaster server."
    )
    parser.add_argument("--url", help=WHERE)
    parser.add_argument(
        "--assistant", default="support", help="name of a live assistant (default: %(default)s)"
    )
    parser.add_argument("--graph", help="a graph instead: its own assistant, live or not")
    parser.add_argument("--thread", help="go on with this conversation")
    parser.add_argument(
        "--canary-key", help="who you are to a canary: a customer, a tenant (default: the thread)"
    )
    parser.add_argument(
        "--speaking", default="draft_reply", metavar="NODE,...",
        help="nodes whose words are meant for you; what others think does not show (default: %(default)s)",
    )  # fmt: skip
    return parser.parse_args()


async def opened(client: LangGraphClient, options: argparse.Namespace) -> Conversation:
    """The conversation that the command line asks for, with a first line about it on the terminal."""
    if options.graph:
        assistant, title = options.graph, f"the graph {options.graph}"
    else:
        live = await resolve(client, options.assistant)
        assistant, title = live.assistant_id, f"{live.name}, version {live.version}"
    terminal = Terminal(options.graph or options.assistant, frozenset(options.speaking.split(",")))
    chat = Conversation(client, assistant, terminal, options.canary_key, options.thread or "")
    if options.thread:
        await chat.history()
    else:
        await chat.begin()
    terminal.note(f"You speak to {title}, on thread {chat.thread_id}.")
    terminal.note("/help lists the commands; Ctrl-D ends the chat.")
    return chat


def read(name: str) -> str | None:
    """A line, stripped; None at the end of input. Ctrl-C begins the line anew."""
    prompt = styled(name.ljust(MARGIN), 1)
    if readline is not None:
        # What has no width is marked, or long lines would be folded in the wrong place.
        prompt = prompt.replace("\x1b[1m", "\1\x1b[1m\2").replace("\x1b[0m", "\1\x1b[0m\2")
    print()
    while True:
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            return None
        except KeyboardInterrupt:
            print()


def carried_out(runner: asyncio.Runner, chat: Conversation, line: str) -> bool:
    """Do what the line says; False if that is to end the chat."""
    command, _, rest = line.partition(" ")
    rest = rest.strip()
    actions: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
        "/edit": lambda: edited(runner, chat, rest),
        "/correct": lambda: chat.correct(rest.partition(" ")[0], json.loads(rest.partition(" ")[2])),
        "/wait": chat.wait,
        "/answer": lambda: chat.answer(json.loads(rest)),
        "/history": chat.history,
        "/new": lambda: another(chat),
    }
    if command in ("/quit", "/exit"):
        return False
    if command in actions:
        attended(runner, chat, actions[command])
    elif command == "/help" or command.startswith("/"):
        for usage, what in HELP.items():
            chat.terminal.note(f"{usage.ljust(20)}{what}")
    else:
        attended(runner, chat, lambda: chat.say(line))
    return True


async def another(chat: Conversation) -> None:
    """A new conversation."""
    await chat.begin()
    chat.terminal.note(f"A new conversation, on thread {chat.thread_id}.")


def attended(
    runner: asyncio.Runner, chat: Conversation, action: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    """Run it to its end, to Ctrl-C, or to an error that is told."""
    try:
        runner.run(action())
    except KeyboardInterrupt:
        chat.terminal.end()
        chat.terminal.note(
            "Stopped. What is under way goes on, and /wait takes it up again; a new message instead"
        )
        chat.terminal.note("takes an open question away.")
    except json.JSONDecodeError as error:
        chat.terminal.trouble(
            f"that is no JSON ({error.msg}, column {error.colno}); /help shows how to write it"
        )
    except FAILURES as error:
        chat.terminal.trouble(explained(error, str(chat.client.http.client.base_url)))


def edited(runner: asyncio.Runner, chat: Conversation, rest: str) -> Coroutine[Any, Any, None]:
    """`[N] [TEXT]`; without a text the old one is there to be changed, where the terminal can."""
    first, _, after = rest.partition(" ")
    number, text = (int(first), after.strip()) if first.isdecimal() else (None, rest)
    if not text:
        said = runner.run(chat.said())
        at = (number or len(said)) - 1
        text = changed(said[at]["content"]) if 0 <= at < len(said) else "-"
    return chat.edit(number, text)


def changed(old: str) -> str:
    """The old text, to be changed on the line."""
    if readline is not None:
        insert = readline.insert_text
        readline.set_startup_hook(lambda: insert(old))
    try:
        return read("say") or old
    finally:
        if readline is not None:
            readline.set_startup_hook(None)


def explained(error: Exception, url: str) -> str:
    """What went wrong, and what to do."""
    if isinstance(error, httpx.ConnectError | TimeoutError):
        return f"no server answers at {url}: start one with `make up`, or name yours with --url"
    if isinstance(error, httpx.HTTPStatusError):
        return f"{url} refused: {error}"
    if isinstance(error, httpx.TransportError):
        return f"{url} does not speak as a server should ({type(error).__name__}): name yours with --url"
    return str(error) or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
