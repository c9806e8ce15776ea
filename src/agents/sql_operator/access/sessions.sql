-- name: open_ticket(token, tenant, seconds)!
-- A ticket for a tenant; those that a killed process left go with it.
with gone as (delete from desk.tickets where expires_at < now())
insert into desk.tickets (token_hash, tenant, expires_at)
values (sha256(convert_to(:token, 'UTF8')), :tenant, now() + make_interval(secs => :seconds));

-- name: close_ticket(token)!
-- The ticket is of no use any more.
delete from desk.tickets where token_hash = sha256(convert_to(:token, 'UTF8'));

-- name: limits()!
-- Waits and memory of one statement; a parallel plan would take both several times.
set local lock_timeout = '3s';
set local work_mem = '16MB';
set local max_parallel_workers_per_gather = 0;
set local search_path = desk, pg_catalog;

-- name: enter(ticket)!
-- From here on the transaction sees the rows of the ticket's tenant, and can't be made writable any more.
select desk.enter(:ticket);

-- name: written(key)^
-- How many rows the write with this key has changed, null when it was not done yet.
select desk.written(:key);

-- name: note_write(key, statement, row_count)!
-- Notes a write in the transaction of its effect; a second one with the key fails.
select desk.note_write(:key, :statement, :row_count);
