-- name: runs_of_writes
-- The run that made a pending write, so that a rollback can take it back; the library does not look at it.
ALTER TABLE public.checkpoint_writes ADD COLUMN IF NOT EXISTS run_id uuid;
