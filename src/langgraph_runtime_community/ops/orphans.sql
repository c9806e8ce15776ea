-- name: recover
-- Runs that nobody works on any more, and what becomes of them.
SELECT run_id, status AS becomes FROM server.recover_orphans(:worker, :held::uuid[]);

-- name: runs
-- Some runs, in full.
SELECT * FROM server.runs WHERE run_id = ANY (:runs::uuid[]);

-- name: post
-- Note the webhook of a run, with the status that its thread has by now.
SELECT server.post(:run, :thread, :hook, t.status) FROM server.threads t WHERE t.thread_id = :thread;
