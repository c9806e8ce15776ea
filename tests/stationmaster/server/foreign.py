"""A project that knows nothing of this one: a package named as one of ours, graph, auth and app by file."""

import json
from pathlib import Path

FILES = {
    "agents/__init__.py": "",
    "agents/greeting.py": '''
from pathlib import Path


def greeting() -> str:
    return Path("greeting.txt").read_text().strip()  # seen from the project, as under `langgraph dev`
''',
    "greeting.txt": "Grüezi\n",
    "src/bot.py": '''
import asyncio
import os

from agents.greeting import greeting
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    name: str
    said: str


async def greet(state: State):
    text = await asyncio.to_thread(greeting)
    return {"said": f"{text} {state['name']}, {os.environ['BOT_SIGNATURE']}, {interrupt('send it?')}"}


graph = StateGraph(State).add_node(greet).add_edge(START, "greet").compile()
''',
    "security/auth.py": '''
from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict):
    name = (headers.get(b"x-name") or headers.get(b"x-api-key") or b"").decode()
    if not name:
        raise Auth.exceptions.HTTPException(status_code=401, detail="who are you?")
    return {"identity": name}


@auth.on.threads
async def own(ctx, value):
    value.setdefault("metadata", {})["owner"] = ctx.user.identity
    return {"owner": ctx.user.identity}
''',
    "web.py": '''
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route


async def hello(request):
    return PlainTextResponse("from the project's own app")


app = Starlette(routes=[Route("/hello", hello)])
''',
    ".env": "BOT_SIGNATURE=the bot\n",
}  # fmt: skip
CONFIG = {
    "dependencies": ["."],
    "graphs": {"bot": "./src/bot.py:graph"},
    "env": ".env",
    "auth": {"path": "./security/auth.py:auth"},
    "http": {"app": "./web.py:app"},
}


def foreign_project(directory: Path, name: str = "langgraph.json") -> Path:
    """Write it into `directory`; the path of its configuration."""
    for file, text in FILES.items():
        path = directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    config = directory / name
    config.write_text(json.dumps(CONFIG))
    return config
