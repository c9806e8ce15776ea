"""Many messages through a live assistant, several at once; a result per line, and no message sent twice.

    python examples/batch.py messages.csv results.jsonl --column utterance --concurrency 8

Each row gets a thread whose id follows from the name of the batch and the number of the row, and a run under a key of
its own. So the script can be stopped, killed and started again: rows with a result are left alone, rows under way are
taken up where they are, the rest is sent. A row that the server could not be asked about is `unknown`, and asked for
again the next time: its last line counts.
"""

import argparse
import asyncio
import csv
import json
import sys
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from examples.place import HELP as WHERE
from examples.place import find_place
from stationmaster.client import ClientError, Limits, follow, resolve, standing, start
from stationmaster.errors import StationmasterError

ROWS = uuid.UUID("6a2f0c5e-3d4b-5c8e-9a57-0d8a1f2b7c11")
LIMITS = Limits(away_s=120)


class BadFile(Exception):
    """A file that can't be used; the message says which, and what to do."""


class NoServer(Exception):
    """Nothing that speaks like a server answers; the message says where."""


@dataclass(frozen=True)
class Batch:
    """A named lot of messages. The same name and row are the same thread, always."""

    client: LangGraphClient
    assistant_id: str
    name: str

    async def one(self, row: int, text: str) -> dict[str, Any]:
        """Send a row's message unless it was sent before, wait for its run, and say what came of it."""
        thread_id = str(uuid.uuid5(ROWS, f"{self.name}/{row}"))
        result: dict[str, Any] = {"row": row, "thread_id": thread_id}
        try:
            await self.client.threads.create(
                thread_id=thread_id, if_exists="do_nothing", metadata={"batch": self.name, "row": row}
            )
            message = {"role": "user", "content": text}
            run = await start(
                self.client, thread_id, self.assistant_id,
                key=f"{self.name}/{row}", input={"messages": [message]}, stream_mode="updates", limits=LIMITS,
            )  # fmt: skip
            error = None
            async for part in follow(self.client, run, limits=LIMITS):
                error = part.data if part.event == "error" else error
            return {**result, **outcome(await standing(self.client, thread_id), error)}
        except (ClientError, httpx.HTTPError) as failure:
            return {**result, "status": "unknown", "error": str(failure) or type(failure).__name__}


def outcome(now: Any, error: Any) -> dict[str, Any]:
    """What a result line says of a thread."""
    last = next(iter(reversed(now.values.get("messages") or [])), {})
    said = {"outcome": now.values.get("outcome"), "intent": now.values.get("intent")}
    if now.questions:
        return {"status": "waits", **said, "question": now.questions[0].value}
    if error:
        return {"status": "failed", **said, "error": error.get("message") or str(error)}
    return {"status": "done", **said, "reply": last.get("content") if last.get("type") == "ai" else None}


def read_rows(path: Path, column: str) -> list[str]:
    """The column of every row of a CSV file; BadFile."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines)
            if column not in (reader.fieldnames or []):
                raise BadFile(f"{path} has no column {column} (it has: {', '.join(reader.fieldnames or [])})")
            return [row[column] or "" for row in reader]
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path}: {error}; give a CSV file in UTF-8 with a heading line") from error


def read_results(path: Path) -> set[int]:
    """Rows that have their result. A line that a kill cut in the middle is taken off, and one that is `unknown` is
    asked for again."""
    if not path.exists():
        return set()
    whole, _, torn = path.read_text(encoding="utf-8").rpartition("\n")
    if torn:
        path.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
    results = [json.loads(line) for line in whole.splitlines()]
    return {result["row"] for result in results if result["status"] != "unknown"}


async def main(options: argparse.Namespace) -> int:
    """Run the batch; 0 if every row has a result that is not a failure."""
    rows = read_rows(options.messages, options.column)
    done = read_results(options.results)
    left = [row for row in range(1, len(rows) + 1) if row not in done]
    print(f"{len(rows)} rows, {len(done)} done before, {len(left)} to do", file=sys.stderr)
    counts: Counter[str] = Counter()
    place = find_place(options.url)
    async with get_client(url=place.url, api_key=place.key) as client:
        try:
            assistant = options.graph or (await resolve(client, options.assistant)).assistant_id
        except httpx.TransportError as error:
            raise NoServer(
                f"no server answers at {place.url} ({type(error).__name__}): start one with `make up`, "
                "or name yours with --url"
            ) from error
        batch = Batch(client, assistant, options.name or options.messages.stem)
        pending = iter(left)
        with options.results.open("a", encoding="utf-8") as results:

            async def work() -> None:
                for row in pending:
                    result = await batch.one(row, rows[row - 1])
                    results.write(json.dumps(result, ensure_ascii=False) + "\n")
                    results.flush()
                    counts[result["status"]] += 1
                    progress(counts, len(left))

            async with asyncio.TaskGroup() as group:
                for _ in range(options.concurrency):
                    group.create_task(work())
    print(
        ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "nothing to do",
        file=sys.stderr,
    )
    return 1 if counts["failed"] or counts["unknown"] else 0


def progress(counts: Counter[str], total: int) -> None:
    """How far it is, on a terminal."""
    if sys.stderr.isatty():
        print(
            f"\r\x1b[2K{counts.total()} of {total}",
            end="\n" if counts.total() == total else "",
            file=sys.stderr,
        )


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("messages", type=Path, help="CSV file, UTF-8, with a heading line")
    parser.add_argument(
        "results", type=Path, help="JSON lines: row, thread_id, status (done, waits, failed, unknown), ..."
    )
    parser.add_argument(
        "--column", default="utterance", help="the column of the messages (default: %(default)s)"
    )
    parser.add_argument(
        "--concurrency", type=int, choices=range(1, 101), metavar="1..100", default=8,
        help="how many at once (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--name", help="of the batch; another name sends everything anew (default: the file's)"
    )
    parser.add_argument("--url", help=WHERE)
    parser.add_argument(
        "--assistant", default="support", help="name of a live assistant (default: %(default)s)"
    )
    parser.add_argument("--graph", help="a graph instead: its own assistant")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(parsed())))
    except (BadFile, NoServer, StationmasterError) as problem:
        # What the server says may hold what a terminal obeys.
        said = "".join(each if each.isprintable() else " " for each in str(problem))
        print(f"error: {said}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped; start it again to go on", file=sys.stderr)
        sys.exit(130)
