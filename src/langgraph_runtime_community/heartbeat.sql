-- name: beat
-- This process is alive, and stays so for one lease.
INSERT INTO server.workers (worker_id, host, pid, alive_until)
VALUES (:worker, :host, :pid, now() + :lease * interval '1 second')
ON CONFLICT (worker_id) DO UPDATE SET alive_until = excluded.alive_until;

-- name: asked
-- What somebody wants of the runs of this process: to be cancelled, to be told elsewhere. And those that it has no more.
SELECT h.run_id, r.cancel, r.cancel_reason, r.run_id IS NULL AS gone
FROM unnest(:runs::uuid[], :epochs::bigint[]) AS h (run_id, epoch)
LEFT JOIN server.runs r ON r.run_id = h.run_id AND r.epoch = h.epoch AND r.status = 'running'
WHERE r.run_id IS NULL OR r.cancel IS NOT NULL OR r.watched;

-- name: leave
-- This process has ended; what it did not finish is anybody's at once.
DELETE FROM server.workers WHERE worker_id = :worker;

-- name: forget_dead
-- Workers that nobody needs to know any more.
DELETE FROM server.workers w WHERE w.alive_until < now() - interval '1 hour'
    AND NOT EXISTS (SELECT FROM server.runs r WHERE r.worker_id = w.worker_id AND r.status = 'running');
