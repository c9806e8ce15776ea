"""Whose threads are that were begun before it was noted: as the migration finds out."""

import shutil
from pathlib import Path

import psycopg

from stationmaster.postgres.migrate import DIRECTORY, migrate

THIS = "0024_whose_rows.sql"
DIGEST = "0" * 64


async def test_threads_from_before_are_their_tenants(empty_database: str, tmp_path: Path) -> None:
    for file in DIRECTORY.glob("*.sql"):
        if file.name < THIS:
            shutil.copy(file, tmp_path)
    await migrate(empty_database, tmp_path)
    with psycopg.connect(empty_database) as conn:
        conn.execute("create schema server; create table server.threads (thread_id uuid, metadata jsonb)")
        marked = "5d1a4e3e-33aa-4bd3-a1c4-07a3c7a4a111"
        conn.execute('insert into server.threads values (%s, \'{"tenant": "b"}\')', (marked,))
        for thread, tenant in (("pay:1", "b"), ("known", "b")):
            conn.execute(
                "insert into treasury.transactions (tenant, key, request, kind, amount_usd, beneficiary, account,"
                " reference, requested_by, signatures_needed, digest)"
                " values (%s, %s, %s, 'payment', 5, 'X', 'DE89370400440532013000', %s, 'ada', 0, %s)",
                (tenant, f"{thread}:1:1:abc", f"{thread}:1", thread, DIGEST),
            )
        conn.execute("insert into shop.thread_tenants (thread_id, tenant) values ('known', 'main')")
        conn.execute(
            "insert into documents.files (tenant, document_id, title, media_type, content, uploaded_by)"
            " values ('c', 'd', 'D', 'text/plain', 'x', 'cy')"
        )
        conn.execute(
            "insert into documents.reviews (tenant, key, document_id, sha256, kind, complete, markdown, digest)"
            " values ('c', 'read:3:0123456789ab', 'd', %s, 'other', true, 'm', %s)",
            (DIGEST, DIGEST),
        )
    shutil.copy(DIRECTORY / THIS, tmp_path)
    await migrate(empty_database, tmp_path)
    with psycopg.connect(empty_database) as conn:
        rows = conn.execute("select thread_id, tenant from shop.thread_tenants").fetchall()
    assert dict(rows) == {marked: "b", "pay:1": "b", "known": "main", "read": "c"}
