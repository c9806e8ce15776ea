"""Conversations replayed from recorded HTTP exchanges, and recorded for that.

A recording is a JSON file: what it was recorded against, and the exchanges. A request is recorded as the part
of its body that decides the answer, with dates and random ids replaced; an answer as the whole completion,
from which the server makes a stream when one is asked for. Headers, and with them keys, are never written.
"""

import json
import re
import threading
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

import httpx

from tests.fakes.openai_answers import Action, Call, Completion, Responder, Say, Status, completion

# How an answer travels and who is billed decide nothing about what it says.
_IGNORED = frozenset({"stream", "stream_options", "user", "metadata", "store"})
_UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
Scrubs = Iterable[tuple[re.Pattern[str], str]]
SCRUBS: tuple[tuple[re.Pattern[str], str], ...] = ((_UUID, "<uuid>"), (_DATE, "<date>"))


def normalise(body: dict[str, Any], scrubs: Scrubs = SCRUBS) -> dict[str, Any]:
    """What two requests must have in common to get the same answer; `scrubs` are applied to every text."""

    def clean(value: Any) -> Any:
        match value:
            case str():
                for pattern, replacement in scrubs:
                    value = pattern.sub(replacement, value)
                return value
            case list():
                return [clean(item) for item in value]
            case dict():
                return {key: clean(item) for key, item in value.items()}
            case _:
                return value

    return clean({key: value for key, value in body.items() if key not in _IGNORED})


class Replay:
    """A responder: the recorded answers to equal requests, in their recorded order, each once.

    A request that was not recorded gets a 500 that says where the nearest recorded one differs. A graph goes on
    after that with its next model, so a test has to look at `misses`, which keeps the same texts.
    """

    def __init__(self, path: Path, scrubs: Scrubs = SCRUBS) -> None:
        self._path = path
        self._scrubs = tuple(scrubs)
        self._left: list[dict[str, Any]] = json.loads(path.read_text())["exchanges"]
        self._lock = threading.Lock()
        self.misses: list[str] = []

    def __call__(self, call: Call) -> Action:
        asked = normalise(call.body, self._scrubs)
        with self._lock:
            for index, exchange in enumerate(self._left):
                if exchange["request"] == asked:
                    return _action(self._left.pop(index)["response"])
            self.misses.append(self._explain(asked))
            return Status(500, self.misses[-1])

    @property
    def unused(self) -> int:
        """How many recorded exchanges nobody asked for."""
        return len(self._left)

    def _explain(self, asked: dict[str, Any]) -> str:
        start = f"{self._path.name} holds no (further) answer to this request; record it again. "
        if not self._left:
            return start + "Every recorded exchange was used."
        nearest = max((exchange["request"] for exchange in self._left), key=lambda one: _alike(one, asked))
        return start + "The nearest unused one differs at " + _first_difference(nearest, asked)


class Recorder:
    """A responder: passes requests on to `source`, keeps the exchanges, and writes them with `save`."""

    def __init__(self, source: Responder, *, against: str, scrubs: Scrubs = SCRUBS) -> None:
        self._source = source
        self._against = against
        self._scrubs = tuple(scrubs)
        self._secrets: set[str] = set()
        self._exchanges: list[dict[str, Any]] = []

    def __call__(self, call: Call) -> Action:
        self._secrets.add(call.headers.get("authorization", "").removeprefix("Bearer "))
        action = self._source(call)
        response = _response(call, action)
        self._exchanges.append({"request": normalise(call.body, self._scrubs), "response": response})
        return action

    def save(self, path: Path) -> None:
        """Write the recording; ValueError when a key of the requests stands somewhere in it."""
        recording = {"recorded_against": self._against, "exchanges": self._exchanges}
        text = json.dumps(recording, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        if any(secret in text for secret in self._secrets if secret):
            raise ValueError("a key stands in the text of an exchange: take it out of the conversation first")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def forward(base_url: str, timeout_s: float = 60.0) -> Responder:
    """A responder that asks a real provider, with the key that the request carries."""

    def respond(call: Call) -> Action:
        body = {key: value for key, value in call.body.items() if key not in {"stream", "stream_options"}}
        reply = httpx.post(
            f"{base_url.rstrip('/')}/chat/completions",
            json=body,
            headers={"Authorization": call.headers.get("authorization", "")},
            timeout=timeout_s,
        )
        if reply.is_success:
            return Completion(reply.json())
        return Status(reply.status_code, reply.json()["error"]["message"])

    return respond


def _response(call: Call, action: Action) -> dict[str, Any]:
    match action:
        case Say():
            return {"completion": completion(call, action)}
        case Completion(body):
            return {"completion": body}
        case Status(code, message, error_code):
            return {"status": code, "message": message, "error_code": error_code}
        case _:
            raise ValueError(f"{type(action).__name__} cannot be recorded: only completions and statuses can")


def _action(response: dict[str, Any]) -> Action:
    if "completion" in response:
        return Completion(response["completion"])
    return Status(response["status"], response["message"], response["error_code"])


def _alike(left: dict[str, Any], right: dict[str, Any]) -> int:
    """How many characters two requests share from their start."""
    texts = (json.dumps(one, sort_keys=True) for one in (left, right))
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))


def _first_difference(left: Any, right: Any, path: str = "") -> str:
    """Where two JSON values first differ, as a path with both values."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            if left.get(key) != right.get(key):
                return _first_difference(left.get(key), right.get(key), f"{path}.{key}")
    if isinstance(left, list) and isinstance(right, list):
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            if one != other:
                return _first_difference(one, other, f"{path}[{index}]")
        return f"{path}: {len(left)} recorded, {len(right)} asked"
    return f"{path}: recorded {str(left)[:300]!r}, asked {str(right)[:300]!r}"
