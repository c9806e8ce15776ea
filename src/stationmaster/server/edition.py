"""Which runtime served a data directory last: each sees its own conversations only, and a change should be told."""

from pathlib import Path

NAME = "runtime"


def changed(data_dir: Path, edition: str) -> str | None:
    """Remember that `edition` serves from now on; what to say if another one did until now."""
    file = data_dir / NAME
    before = file.read_text(encoding="utf-8").strip() if file.exists() else edition
    file.write_text(f"{edition}\n", encoding="utf-8")
    if before == edition:
        return None
    return (
        f"this data was served on the runtime {before} until now: its conversations do not show on {edition}, and the "
        f"inbox withdraws what they ask; `stationmaster up --edition {before}` has the conversations again"
    )


def words(edition: str) -> str:
    """How a banner names it."""
    where = {
        "inmem": "conversations in memory, on disk from the next clean stop",
        "community": "conversations in Postgres",
    }
    return f"{edition}, {where[edition]}"
