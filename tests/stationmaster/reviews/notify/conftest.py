"""The pool and the HTTP receiver of the events' tests, and a real mail server."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from psycopg.types.json import Jsonb

from stationmaster.reviews.database import Pool
from stationmaster.reviews.model import Review
from tests.stationmaster.reviews.events.conftest import pool, receiver
from tests.stationmaster.reviews.rows import insert

__all__ = ["pool", "receiver"]


PASSWORD = "sesame-0pen"


@dataclass
class Mailbox:
    """What an SMTP server on loopback received; `answers` are its next replies, `250 OK` when used up."""

    port: int = 0
    answers: list[str] = field(default_factory=list)
    mails: list[tuple[list[str], EmailMessage]] = field(default_factory=list)
    arrived: asyncio.Queue[EmailMessage] = field(default_factory=asyncio.Queue)

    def protocol(self) -> SMTP:
        return SMTP(self, hostname="mail.test", authenticator=self._known, auth_require_tls=False)

    def _known(self, *sent: object) -> AuthResult:
        login = sent[-1]
        assert isinstance(login, LoginPassword)
        return AuthResult(success=login.password == PASSWORD.encode())

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer.startswith("250"):
            content = envelope.content if isinstance(envelope.content, bytes) else b""
            mail = message_from_bytes(content, EmailMessage, policy=policy.default)
            self.mails.append((envelope.rcpt_tos, mail))
            self.arrived.put_nowait(mail)
        return answer


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    mailbox = Mailbox()
    server = await asyncio.get_running_loop().create_server(mailbox.protocol, "127.0.0.1", 0)
    mailbox.port = server.sockets[0].getsockname()[1]
    yield mailbox
    server.close()
    await server.wait_closed()


async def opened(pool: Pool, notify: dict[str, list[str]], **columns: object) -> Review:
    """A review whose stamped policy tells these groups."""
    stamped = {"name": "test", "notify": notify, "decide_by_link": columns.pop("decide_by_link", False)}
    async with pool.connection() as conn:
        return await insert(conn, policy=Jsonb(stamped), **columns)
