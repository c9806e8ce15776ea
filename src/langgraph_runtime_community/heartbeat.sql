-- name: beat
-- This process is alive, and stays so for one lease.
INSERT INTO server.workers (worker_id, host, pid, alive_until)
VALUES (:worker, :host, :pid, now() + :lease * interval '1 second')
ON CONFLICT (worker_id) DO UPDATE SET alive_until = excluded.alive_until;

-- name: cancels
-- Runs of this process that somebody wants cancelled.
SELECT run_id, cancel, cancel_reason FROM server.runs
WHERE worker_id = :worker AND status = 'running' AND cancel IS NOT NULL;

-- name: leave
-- This process has ended; what it did not finish is anybody's at once.
DELETE FROM server.workers WHERE worker_id = :worker;

-- name: forget_dead
-- Workers that nobody needs to know any more.
DELETE FROM server.workers w WHERE w.alive_until < now() - interval '1 hour'
    AND NOT EXISTS (SELECT FROM server.runs r WHERE r.worker_id = w.worker_id AND r.status = 'running');
