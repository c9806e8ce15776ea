"""Routers that touch the world, directly, through a helper, as a lambda, a method or a chain; and such that don't."""

import functools
import os
from pathlib import Path
from typing import Any, Literal

import httpx
from langchain_core.language_models import FakeListChatModel
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

model = FakeListChatModel(responses=["left"])


class State(TypedDict, total=False):
    way: str


async def left(state: State) -> State:
    return {"way": "left"}


async def right(state: State) -> State:
    return {"way": "right"}


def graph(router: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("left", left)
    builder.add_node("right", right)
    builder.add_conditional_edges(START, router, ["left", "right"])
    builder.add_edge("left", END)
    builder.add_edge("right", END)
    return builder.compile()


def looks(state: State) -> str:
    return httpx.get("https://example.com/way").text


def helped(state: State) -> Literal["left", "right"]:
    return "left" if _allowed(state.get("way", "")) else "right"


def _allowed(way: str) -> bool:
    return way in Path("/etc/ways").read_text()


async def asks(state: State) -> str:
    answer = await model.ainvoke(state.get("way", ""))
    return str(answer.content)


async def opens(state: State) -> str:
    async with httpx.AsyncClient() as client:
        answer = await client.post("https://example.com", json=dict(state))
    return answer.text


def imports(state: State) -> str:
    import subprocess

    return subprocess.run(["/bin/which-way"], capture_output=True, text=True, check=True).stdout


def chosen(state: State, *, among: Any) -> str:
    return among.execute("select way from ways").fetchone()[0]


class Chooser:
    def __init__(self) -> None:
        self.model = model

    async def __call__(self, state: State) -> str:
        return str((await self.model.ainvoke("which?")).content)

    def choose(self, state: State) -> str:
        with open("/etc/way") as file:  # noqa: PTH123 - the builtin is what the rule has to know
            return file.read()


def pure(state: State) -> Literal["left", "right"]:
    return "left" if state.get("way") == "left" else _other(state)


def _other(state: State) -> Literal["left", "right"]:
    return "right" if os.path.basename(state.get("way", "")) else "left"  # noqa: PTH119 - no look at any file


class Pure:
    def __call__(self, state: State) -> str:
        return "left" if len(state.get("way", "")) > 3 else "right"


def _applied(look: Any, state: State) -> Any:
    return look(state)


def hands_over(state: State) -> str:
    return _applied(lambda given: Path(given["way"]).read_text(), state)


def within(make: Any) -> Any:
    return graph(make())


bad_nested_lambda = within(lambda: lambda state: Path(state["way"]).read_text())
bad_hands_over = graph(hands_over)
bad_chain = graph(model | (lambda answer: answer.content))
bad_looks = graph(looks)
bad_helped = graph(helped)
bad_asks = graph(asks)
bad_opens = graph(opens)
bad_imports = graph(imports)
bad_partial = graph(functools.partial(chosen, among=None))
bad_lambda = graph(lambda state: Path(state["way"]).read_text())
bad_object = graph(Chooser())
bad_method = graph(Chooser().choose)
good_pure = graph(pure)
good_lambda = graph(lambda state: "left" if state.get("way") else "right")
good_object = graph(Pure())
good_partial = graph(functools.partial(pure))
