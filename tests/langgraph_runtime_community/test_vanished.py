"""A database host that vanishes says nothing: each connection finds out by itself, within a lease."""

import asyncio
import socket
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from langgraph_runtime_community import database
from langgraph_runtime_community.config import config
from langgraph_runtime_community.connecting import options
from langgraph_runtime_community.heartbeat import Heartbeat


@pytest.fixture
async def over_tcp(stock_config: None, empty_database: str) -> AsyncIterator[str]:
    """The database's URI by way of a port: the tests' Postgres listens on a file."""
    parts = urlsplit(empty_database)
    directory = parse_qs(parts.query)["host"][0]

    relaying = set[asyncio.Task[None]]()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(f"{directory}/.s.PGSQL.5432")
        for way in (pass_on(reader, back), pass_on(there, writer)):
            relaying.add(asyncio.create_task(way))

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    yield f"postgresql://postgres@127.0.0.1:{port}{parts.path}"
    server.close()
    await asyncio.wait(relaying, timeout=5)


def asked_of_kernel(fd: int) -> tuple[bool, int, int, int, int]:
    """Whether the other end is probed, after how long, how often and how many times; and the wait for what was sent."""
    with socket.socket(fileno=socket.dup(fd)) as there:
        return (
            bool(there.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)),
            there.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE),
            there.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL),
            there.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT),
            there.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT),
        )


async def test_connections_probe_the_other_end(over_tcp: str) -> None:
    assert config().lease_s == 10
    await database.start_pool(over_tcp)
    try:
        async with database.connection() as conn:
            assert asked_of_kernel(conn.pgconn.socket) == (True, 5, 2, 3, 10_000)
    finally:
        await database.stop_pool()
    beating = Heartbeat(over_tcp, lambda *_: None)
    conn = await asyncio.to_thread(beating.connect)
    try:
        assert asked_of_kernel(conn.pgconn.socket) == (True, 5, 2, 3, 10_000)
    finally:
        await asyncio.to_thread(conn.close)


async def test_what_the_uri_says_itself_stands(over_tcp: str) -> None:
    uri = f"{over_tcp}?keepalives_idle=77&connect_timeout=3"
    settled = options(uri, name="x")
    assert "keepalives_idle" not in settled and "connect_timeout" not in settled
    async with await psycopg.AsyncConnection.connect(uri, autocommit=True, **settled) as conn:
        assert asked_of_kernel(conn.pgconn.socket)[1] == 77
