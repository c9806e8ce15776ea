-- name: try_lock
-- Take the lock of those that prepare the server's tables, if it is free; the number is ours alone.
SELECT pg_try_advisory_lock(7352419867213402) AS locked;

-- name: unlock
-- Give it back.
SELECT pg_advisory_unlock(7352419867213402);

-- name: runs_of_writes
-- The run that made a pending write, so that a rollback can take it back; the library does not look at it.
ALTER TABLE public.checkpoint_writes ADD COLUMN IF NOT EXISTS run_id uuid;
