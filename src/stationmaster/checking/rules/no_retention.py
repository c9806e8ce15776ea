"""Checkpoints that are never removed."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Place, Rule

SETTING = "STATIONMASTER_RETENTION_DAYS"


def _find(whole: Whole) -> Iterator[Found]:
    checkpointer = whole.project.config.get("checkpointer") or {}
    if whole.retention_days == 0 and not checkpointer.get("ttl"):
        yield Found(
            "",
            _set(whole),
            f"{SETTING} is 0, and langgraph.json sets no checkpointer.ttl: threads stay for ever",
        )


def _set(whole: Whole) -> Place:
    """Where the setting is made: a line of the project's `.env`, else langgraph.json stands for the project."""
    env = whole.project.config.get("env")
    path = whole.project.directory / (env if isinstance(env, str) else ".env")
    if path.is_file():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip().startswith(SETTING):
                return Place(path, number)
    return Place(whole.project.path, 1)


RULE = Rule(
    name="no-retention",
    looks_for="no retention: STATIONMASTER_RETENTION_DAYS at 0, and no `checkpointer.ttl`",
    why="Each super-step is a checkpoint: 50,000 threads a day of 8 steps and 30 kB are 12 GB a day, for ever.",
    write="STATIONMASTER_RETENTION_DAYS=30 (who waits for a person stays), or `checkpointer.ttl` in langgraph.json",
    find=_find,
)
