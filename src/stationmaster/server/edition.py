"""Which runtime served a data directory last: each sees its own conversations only, so none takes over unasked."""

from pathlib import Path

from stationmaster.errors import StationmasterError

NAME = "runtime"
INMEM_STATE = Path("server") / ".langgraph_api"
"""What the in-memory runtime leaves behind; older releases wrote no NAME."""


class OtherRuntime(StationmasterError):
    """The data was served on another runtime, and nobody chose the one that would take its place."""


def take(data_dir: Path, edition: str, *, chosen: bool) -> str | None:
    """Remember that `edition` serves from now on; what to say if another one did until now.

    OtherRuntime where that is so and `edition` is a mere default: the open questions of the other one would be
    withdrawn by an upgrade.
    """
    before = _before(data_dir) or edition
    if before != edition and not chosen:
        raise OtherRuntime(
            f"{data_dir} was served on the runtime {before} until now, and {edition} would not see its conversations: "
            f"go on with `--edition {before}`, or begin anew with `--edition {edition}`, which withdraws what waits "
            "for an answer; orders, refunds, mail and the audit are the same in both "
            "(in .env: STATIONMASTER_RUNTIME_EDITION)"
        )
    (data_dir / NAME).write_text(f"{edition}\n", encoding="utf-8")
    if before == edition:
        return None
    return (
        f"this data was served on the runtime {before} until now: its conversations do not show on {edition}, and the "
        f"inbox withdraws what they ask; `stationmaster up --edition {before}` has the conversations again"
    )


def _before(data_dir: Path) -> str | None:
    file = data_dir / NAME
    if file.exists():
        return file.read_text(encoding="utf-8").strip()
    return "inmem" if (data_dir / INMEM_STATE).exists() else None


def words(edition: str) -> str:
    """How a banner names it."""
    where = {
        "inmem": "conversations in memory, on disk from the next clean stop",
        "community": "conversations in Postgres",
    }
    return f"{edition}, {where[edition]}"
