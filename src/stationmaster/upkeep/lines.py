"""A thread as a line of JSON, in pieces: however long it is, a few megabytes of it are in memory at once."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from pathlib import Path
from uuid import UUID

from psycopg.rows import DictRow, dict_row

from stationmaster.postgres.queries import load
from stationmaster.upkeep.database import Connection, one, rows

QUERIES = load(Path(__file__).with_name("exporting.sql"))
SECTIONS = ("runs", "checkpoints", "blobs", "writes")
PAGE_BYTES, PAGE_ROWS = 1_000_000, 1000


async def line_of(conn: Connection, thread: UUID) -> AsyncGenerator[bytes]:
    """The pieces of a thread's line: an object with `thread`, `runs` (without what their callers sent along),
    `checkpoints`, `blobs` and `writes`.

    Within a transaction that holds the thread, so that nothing of it moves. psycopg.Error for what Postgres can't
    make text of; by then pieces may have come.
    """
    head = (await one(conn, QUERIES["thread"], {"thread": thread}))["line"]
    yield _bytes(head.rstrip().removesuffix("}"))
    for section in SECTIONS:
        yield f', "{section}": ['.encode()
        separator = b""
        async with aclosing(_pages(conn, section, thread)) as pages:
            async for page in pages:
                for row in await rows(conn, QUERIES[section], {"thread": thread, "places": page}):
                    yield separator + _bytes(row["line"])
                    separator = b", "
        yield b"]"
    yield b"}\n"


async def _pages(conn: Connection, section: str, thread: UUID) -> AsyncGenerator[list[str]]:
    """Where the rows of a section stand, in pages that are short together, or a single long one."""
    async with conn.cursor(f"export_{section}", row_factory=dict_row) as places:
        await places.execute(QUERIES[f"{section}_of"], {"thread": thread})
        while found := await places.fetchmany(PAGE_ROWS):
            for page in _short(found):
                yield page


def _short(found: Iterable[DictRow]) -> Iterator[list[str]]:
    page, size = list[str](), 0
    for row in found:
        if page and size + row["size"] > PAGE_BYTES:
            yield page
            page, size = [], 0
        page.append(row["place"])
        size += row["size"]
    if page:
        yield page


def _bytes(line: str) -> bytes:
    return line.replace("\n", " ").encode()
