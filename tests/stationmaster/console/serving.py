"""Consoles for tests: on real sockets, in this process's loop or as processes of their own; and reviews to show."""

import asyncio
import hashlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from psycopg.sql import SQL, Identifier, Placeholder

from stationmaster.console.app import create_app
from stationmaster.reviews.access import tokens, users
from stationmaster.reviews.database import Pool
from stationmaster.settings import Settings

_numbers = count(1)


def listening() -> socket.socket:
    """A socket on a free port of this machine."""
    sock = socket.socket(proto=socket.IPPROTO_TCP)  # else asyncio leaves Nagle's delay on
    sock.bind(("127.0.0.1", 0))
    sock.listen(256)
    return sock


NOBODY = "http://127.0.0.1:1"
"""Where no Agent Server answers."""


def settings_for(database: str, tmp_path: Path, **more: Any) -> Settings:
    """Settings of this test alone, whatever the environment says."""
    return Settings.model_construct(
        **{name: field.get_default() for name, field in Settings.model_fields.items()}
    ).model_copy(update={"database_uri": database, "data_dir": tmp_path, "api_url": NOBODY, **more})


@asynccontextmanager
async def served(settings: Settings, *, workers: bool = False) -> AsyncIterator[str]:
    """A console in this loop; its URL."""
    with listening() as sock:
        app = create_app(settings, workers=workers)
        # As the console itself is served: paths hold the secrets of one-time links, so none is logged.
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=2
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        port = sock.getsockname()[1]
        try:
            async with asyncio.timeout(20):
                while not server.started:
                    if serving.done():
                        serving.result()
                    await asyncio.sleep(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            app.state.changes.close()
            server.should_exit = True
            await serving


class ConsoleProcess:
    """A console without workers in a process of its own."""

    def __init__(self, database: str, data_dir: Path, env: Mapping[str, str] | None = None) -> None:
        with listening() as sock:
            self.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
            self.log = data_dir / f"console-{sock.getsockname()[1]}.log"
            environment = {
                **{k: v for k, v in os.environ.items() if not k.startswith("STATIONMASTER_")},
                "STATIONMASTER_DATABASE_URI": database, "STATIONMASTER_DATA_DIR": str(data_dir),
                **(env or {}),
            }  # fmt: skip
            with self.log.open("wb") as output:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "tests.stationmaster.console.serving", str(sock.fileno())],
                    pass_fds=[sock.fileno()], env=environment, stdout=output, stderr=output,
                )  # fmt: skip

    async def ready(self) -> None:
        """The socket listens from the start: one request waits until the app answers."""
        async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
            response = await http.get(f"{self.url}/healthz")
        assert response.status_code == 200, self.log.read_text()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def anybody(url: str, **options: Any) -> httpx.AsyncClient:
    """A client without a credential."""
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=30, **options)


async def somebody(
    pool: Pool, url: str, name: str, *, role: str = "reviewer", groups: tuple[str, ...] = ("money",)
) -> httpx.AsyncClient:
    """A client with the token of a new user."""
    await users.add(pool, name, roles=[role], groups=groups)
    made, _ = await tokens.create(pool, name, "test")
    return anybody(url, headers={"Authorization": f"Bearer {made}"})


async def open_review(
    pool: Pool, *, payload: Any = None, groups: tuple[str, ...] = ("money",), **columns: Any
) -> str:
    """An open review as observing writes it; its id."""
    number = next(_numbers)
    shown = {"question": f"Refund order {number}?"} if payload is None else payload
    row = {
        "thread_id": f"thread-{number}", "interrupt_id": f"interrupt-{number}", "kind": "interrupt", "shape": "plain",
        "digest": hashlib.sha256(f"{number}".encode()).hexdigest(), "checkpoint_id": "c1",
        "title": f"Refund order {number}?", "payload": json.dumps(shown), "groups": list(groups), "graph": "support",
        "search_text": f"Refund order {number}?", **columns,
    }  # fmt: skip
    names = SQL(", ").join(map(Identifier, row))
    values = SQL(", ").join(map(Placeholder, row))
    statement = SQL("INSERT INTO reviews.reviews ({}) VALUES ({}) RETURNING id").format(names, values)
    async with pool.connection() as conn:
        found = await (await conn.execute(statement, row)).fetchone()
    assert found is not None
    return str(found["id"])


def main() -> None:
    """A console on an inherited socket, until SIGTERM."""
    from stationmaster.settings import load_settings

    app = create_app(load_settings(), workers=False)
    config = uvicorn.Config(app, access_log=False, timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])


if __name__ == "__main__":
    main()
