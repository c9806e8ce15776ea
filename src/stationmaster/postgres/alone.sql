-- name: begin#
-- Whatever the database's defaults: with another isolation it would hold a snapshot to its end.
BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY;

-- name: try_lock
-- Take the lock if it is free; it is given back with the end of the transaction.
SELECT pg_try_advisory_xact_lock(:number) AS locked;

-- name: hold#
-- Idle transactions may be ended by a setting. And a statement of its own closes the one before, whose snapshot stays
-- with its unnamed portal until then: indexes that are made concurrently would wait for it.
SET LOCAL idle_in_transaction_session_timeout = 0;
