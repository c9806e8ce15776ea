"""What the files want and what a server has: plain values that `diff`, `plan` and the pages are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID, uuid5

MANAGER = "stationmaster"
MANAGED_BY = "managed_by"
NAME = "name"
LIVE = "live"
CANARY = "canary"
APPLIED = "applied"
"""{field: digest} of what was applied last: a served field with another digest was changed by somebody else."""
CHANGE = "change"
"""{author, reason, source, at, from_version}: who made this version. PATCH merges, so every write gives its own.

`version` is there too where an older one was current: servers then give the number above the highest, not the next."""
PAUSED = "paused"
"""{reason, by, at, was_enabled}: a cron that people stopped; no apply starts it again."""
WAS_ENABLED = "was_enabled"
"""In that note: whether it was on, or its file had it switched off before."""
BEHAVIOUR = ("overlap", "missed", "keep_days", "thread", "review")
"""How a cron behaves beyond what servers know; copied by them to each run and its thread."""
RESERVED = frozenset({MANAGED_BY, NAME, LIVE, CANARY, APPLIED, CHANGE, PAUSED, *BEHAVIOUR})
"""Metadata keys that a file must not set by itself."""
FRESH = "fresh"
UTC_ZONE = "UTC"

Kind = Literal["assistant", "cron"]
Server = Literal["foreign", "stock", "durable"]
"""Without our handlers (any server that speaks the API); with them, on a runtime that forgets; on our own runtime."""
Overlap = Literal["skip", "queue", "replace"]
Missed = Literal["once", "skip"]
STRATEGIES: Mapping[str, str] = {"skip": "reject", "queue": "reject", "replace": "interrupt"}
"""What a stock server is told for each overlap (`multitask_strategy`). Never "enqueue": a run that the server itself
lets wait behind another one takes the question away with which that one ends. Slots wait in our own queue."""

_NAMESPACE = UUID("6f0c2c0e-5d0b-5f3c-9a53-3f5f7a2a9d41")


def assistant_id(name: str) -> str:
    """The id of the assistant of that name, the same on every server."""
    return str(uuid5(_NAMESPACE, name))


def fixed_thread_id(name: str) -> str:
    """The id of the one thread on which crons with `thread: name` run."""
    return str(uuid5(_NAMESPACE, f"thread:{name}"))


@dataclass(frozen=True)
class Signature:
    """Who changes something, by which way (apply, promote, rollback, page, ...), and why."""

    author: str
    source: str
    reason: str = ""


@dataclass(frozen=True)
class Work:
    """What would be lost with an assistant: threads with a run under way or queued, and questions that wait."""

    running: int = 0
    waiting: int = 0

    def __bool__(self) -> bool:
        return bool(self.running or self.waiting)


@dataclass(frozen=True)
class Assistant:
    """An assistant as it should be. `context` is JSON; what it leaves out has the graph's own default."""

    name: str
    graph: str
    description: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    recursion_limit: int | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    live: bool = False

    @property
    def assistant_id(self) -> str:
        return assistant_id(self.name)


@dataclass(frozen=True)
class Cron:
    """A schedule as it should be. `thread`: "fresh" for one of its own each time, else the name of one fixed thread."""

    name: str
    assistant: str
    schedule: str
    timezone: str = UTC_ZONE
    input: Mapping[str, Any] = field(default_factory=dict)
    thread: str = FRESH
    overlap: Overlap = "skip"
    missed: Missed = "once"
    keep_days: int = 30
    enabled: bool = True
    review: Mapping[str, Any] = field(default_factory=dict)

    @property
    def assistant_id(self) -> str:
        return assistant_id(self.assistant)

    @property
    def thread_id(self) -> str | None:
        return None if self.thread == FRESH else fixed_thread_id(self.thread)

    @property
    def behaviour(self) -> dict[str, Any]:
        """What stands under the reserved keys of its metadata."""
        return {
            "overlap": self.overlap, "missed": self.missed, "keep_days": self.keep_days,
            "thread": self.thread, "review": dict(self.review),
        }  # fmt: skip


@dataclass(frozen=True)
class ServedAssistant:
    """An assistant, or one version of it, as a server has it. `metadata` holds reserved keys and nulls too."""

    assistant_id: str
    name: str
    graph: str
    description: str
    context: Mapping[str, Any]
    recursion_limit: int | None
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    version: int
    updated_at: str
    config: Mapping[str, Any] = field(default_factory=dict)
    """What else stands in its config: neither limit nor tags nor the copy of the context."""

    @property
    def known_as(self) -> str:
        """The name under which a file has it; `name` may have been changed on the server."""
        name = self.metadata.get(NAME)
        return name if isinstance(name, str) else ""

    @property
    def owned(self) -> bool:
        """Whether Stationmaster made it: a copy that somebody made of one has another id, and is theirs."""
        marked = self.metadata.get(MANAGED_BY) == MANAGER and bool(self.known_as)
        return marked and self.assistant_id == assistant_id(self.known_as)

    @property
    def system(self) -> bool:
        """Whether it is the one that a server makes for each graph."""
        return self.metadata.get("created_by") == "system"

    @property
    def live(self) -> bool:
        return self.metadata.get(LIVE) is True

    @property
    def applied(self) -> Mapping[str, str]:
        return _mapping(self.metadata.get(APPLIED))

    @property
    def change(self) -> Mapping[str, Any]:
        return _mapping(self.metadata.get(CHANGE))

    @property
    def signed(self) -> bool:
        """Whether `change` is about this very version: others write theirs without, and it stays."""
        before = self.change.get("from_version")
        if not isinstance(before, int):
            return False
        return self.change.get("version", before + 1) == self.version

    @property
    def leads_to(self) -> frozenset[str]:
        """Ids of the assistants whose content its runs may get: its canary's, and those that keys are pinned to."""
        kept = _mapping(self.metadata.get(CANARY))
        arms = [kept, *map(_mapping, _mapping(kept.get("pins")).values())]
        ids = [arm.get("assistant_id") for arm in arms]
        return frozenset(each for each in ids if isinstance(each, str) and each != self.assistant_id)

    @property
    def labels(self) -> dict[str, Any]:
        """Metadata that people set."""
        return _labels(self.metadata, {"created_by"})

    def content(self) -> Assistant:
        """What this version says, to be written again as a whole."""
        return Assistant(
            self.known_as or self.name, self.graph, self.description, self.context, self.recursion_limit,
            self.tags, self.labels, self.live,
        )  # fmt: skip


@dataclass(frozen=True)
class ServedCron:
    """A cron as a server has it. `payload`: what each of its runs is started with."""

    cron_id: str
    thread_id: str | None
    assistant_id: str
    schedule: str
    timezone: str
    payload: Mapping[str, Any]
    enabled: bool
    next_run_at: str | None
    metadata: Mapping[str, Any]
    on_run_completed: str | None = None
    end_time: str | None = None
    created_at: str = ""
    updated_at: str = ""

    @property
    def owned(self) -> bool:
        return self.metadata.get(MANAGED_BY) == MANAGER and bool(self.name)

    @property
    def name(self) -> str:
        name = self.metadata.get(NAME)
        return name if isinstance(name, str) else ""

    @property
    def input(self) -> Mapping[str, Any]:
        return _mapping(self.payload.get("input"))

    @property
    def applied(self) -> Mapping[str, str]:
        return _mapping(self.metadata.get(APPLIED))

    @property
    def change(self) -> Mapping[str, Any]:
        return _mapping(self.metadata.get(CHANGE))

    def content(self, assistant: str) -> Cron:
        """What it says, as a file would; `assistant` is the name that belongs to its id."""
        said, plain = self.metadata, Cron(self.name, assistant, self.schedule)
        keep = said.get("keep_days")
        return Cron(
            self.name, assistant, self.schedule, self.timezone, self.input, said.get("thread") or FRESH,
            said.get("overlap") or plain.overlap, said.get("missed") or plain.missed,
            keep if isinstance(keep, int) else plain.keep_days,
            self.on_once_resumed,
            _mapping(said.get("review")),
        )  # fmt: skip

    def same_as(self, other: "ServedCron") -> bool:
        """Whether nobody wrote it between the two looks; that it fired is nothing."""
        return replace(self, next_run_at=other.next_run_at, updated_at=other.updated_at) == other

    @property
    def paused(self) -> Mapping[str, Any] | None:
        """{reason, by, at} while people have stopped it."""
        found = self.metadata.get(PAUSED)
        return found if isinstance(found, Mapping) else None

    @property
    def on_once_resumed(self) -> bool:
        """Whether it is on, or will be when people resume it; a note that does not say so is of one that was on."""
        return self.enabled or (self.stopped and _mapping(self.paused).get(WAS_ENABLED) is not False)

    @property
    def stopped(self) -> bool:
        """Whether it stands still since people paused it, whatever its file says of `enabled`."""
        return self.paused is not None and not self.enabled


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _labels(metadata: Mapping[str, Any], besides: set[str]) -> dict[str, Any]:
    """PATCH merges metadata: a key that is gone stays as null."""
    hidden = RESERVED | besides
    return {key: value for key, value in metadata.items() if value is not None and key not in hidden}
