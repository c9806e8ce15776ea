"""A model provider for the failure tests: every model answers by the written rules unless a test says otherwise."""

import threading
from collections import defaultdict, deque
from uuid import uuid4

from agents.support.rules import answer as written_rules
from tests.fakes.openai_answers import Action, Call, by_rules
from tests.fakes.openai_server import OpenAIServer

by_written_rules = by_rules(written_rules)
"""A responder that answers as the offline model would."""


class ByModel:
    """A responder that is scripted by the model's name, so that tests which share a server don't mix."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: defaultdict[str, deque[Action]] = defaultdict(deque)
        self._always: dict[str, Action] = {}
        self._task_next: defaultdict[tuple[str, str], deque[Action]] = defaultdict(deque)

    def script(self, model: str, *actions: Action, task: str | None = None) -> None:
        """Answer the model's next requests with these, one each; with `task` only requests of that task."""
        with self._lock:
            (self._task_next[model, task] if task else self._next[model]).extend(actions)

    def always(self, model: str, action: Action) -> None:
        """Answer every request of the model with this."""
        with self._lock:
            self._always[model] = action

    def __call__(self, call: Call) -> Action:
        model = f"openai:{call.body['model']}"
        with self._lock:
            for scripted in (self._task_next[model, task_of(call)], self._next[model]):
                if scripted:
                    return scripted.popleft()
            return self._always.get(model) or by_written_rules(call)


def priced_model() -> str:
    """A name of its own, for a breaker of its own, that costs what gpt-4.1-mini does."""
    number = uuid4().int
    return f"openai:gpt-4.1-mini-{2000 + number % 8000}-{1 + number % 12:02}-{1 + number % 28:02}"


def unpriced_model() -> str:
    return f"openai:{uuid4().hex}"


def task_of(call: Call) -> str:
    """The task that the request's system message names."""
    return system_of(call).partition("\n")[0].removeprefix("Task: ").strip()


def system_of(call: Call) -> str:
    """The text of the request's system message."""
    return str(call.body["messages"][0]["content"])


def calls_of(server: OpenAIServer, model: str) -> list[Call]:
    """The requests for one model, in the order of their arrival."""
    return [call for call in server.calls if f"openai:{call.body['model']}" == model]


def tasks_of(server: OpenAIServer, model: str) -> list[str]:
    return [task_of(call) for call in calls_of(server, model)]
