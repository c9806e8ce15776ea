-- name: keep
-- Keep events of runs that are still this worker's, and tell the processes whose clients listen.
WITH given AS (
    SELECT * FROM unnest(
        :runs::uuid[], :epochs::bigint[], :threads::uuid[], :bases::bigint[], :numbers::integer[],
        :events::text[], :data::bytea[]
    ) AS g (run_id, epoch, thread_id, base, number, event, data)
), kept AS (
    INSERT INTO server.events (run_id, thread_id, base, number, event, data)
    SELECT g.run_id, g.thread_id, g.base, g.number, g.event, g.data
    FROM given g JOIN server.runs r ON r.run_id = g.run_id AND r.epoch = g.epoch
    ON CONFLICT DO NOTHING
)
SELECT pg_notify('stationmaster_server', told) FROM unnest(:told::text[]) AS told;

-- name: of_run
-- The events of a run behind an id.
SELECT run_id, thread_id, base, number, event, data FROM server.events
WHERE run_id = :run_id AND (base, number) > (:base, :number) ORDER BY base, number;

-- name: of_thread
-- The events of all runs of a thread behind an id.
SELECT run_id, thread_id, base, number, event, data FROM server.events
WHERE thread_id = :thread_id AND (base, number) > (:base, :number) ORDER BY base, number;

-- name: of_many
-- The events of runs and threads behind the ids seen last.
SELECT e.*, g.of_thread
FROM unnest(:keys::uuid[], :threads::boolean[], :bases::bigint[], :numbers::integer[])
    AS g (key, of_thread, base, number)
CROSS JOIN LATERAL (
    SELECT run_id, thread_id, base, number, event, data FROM server.events
    WHERE NOT g.of_thread AND run_id = g.key AND (base, number) > (g.base, g.number)
    UNION ALL
    SELECT run_id, thread_id, base, number, event, data FROM server.events
    WHERE g.of_thread AND thread_id = g.key AND (base, number) > (g.base, g.number)
) e
ORDER BY e.base, e.number;

-- name: forgotten_of_thread
-- The latest run of a thread whose events could be asked for again behind an id, and are gone.
SELECT run_id FROM server.runs r
WHERE thread_id = :thread_id AND status NOT IN ('pending', 'running') AND epoch > 0
    AND stream_base >= :base AND updated_at < now() - interval '1 minute' AND (kwargs ->> 'resumable')::boolean
    AND NOT EXISTS (SELECT FROM server.events e WHERE e.run_id = r.run_id)
ORDER BY created_at DESC LIMIT 1;

-- name: latest
-- The last event that is kept of a run or thread.
(SELECT base, number FROM server.events WHERE run_id = :key ORDER BY base DESC, number DESC LIMIT 1)
UNION ALL
(SELECT base, number FROM server.events WHERE thread_id = :key ORDER BY base DESC, number DESC LIMIT 1)
LIMIT 1;

-- name: states
-- What became of runs that clients wait for, a run that is gone is missing; and what is in flight on threads that they
-- listen to.
SELECT run_id, thread_id, status FROM server.runs WHERE run_id = ANY (:runs::uuid[])
UNION
SELECT run_id, thread_id, status FROM server.runs
WHERE thread_id = ANY (:threads::uuid[]) AND status IN ('pending', 'running');

-- name: listen_to
-- Clients of this process listen to threads.
SELECT server.listen_to(:threads::uuid[], :process, :seconds);

-- name: keep_for_listeners
-- Keep an event of a thread itself, if anybody listens elsewhere.
SELECT server.keep_for_listeners(:thread_id, :process, :event, :data) AS kept;

-- name: forget_listeners
-- Processes that listen no more.
DELETE FROM server.listeners WHERE until < now() - interval '1 minute';

-- name: watch
-- Somebody listens to a run from a process that is not its worker's: its events shall go through the database.
WITH watched AS (
    UPDATE server.runs SET watched = true
    WHERE run_id = :run_id AND status IN ('pending', 'running') AND NOT watched RETURNING run_id
)
SELECT pg_notify('stationmaster_server', 'w ' || run_id) FROM watched;

-- name: forget
-- Events that nobody can ask for any more: all of a run that ended long ago, or is gone with its thread.
DELETE FROM server.events e WHERE e.at < now() - :keep * interval '1 second' AND NOT EXISTS (
        SELECT FROM server.runs r WHERE r.run_id = e.run_id
            AND (r.status IN ('pending', 'running') OR r.updated_at >= now() - :keep * interval '1 second')
    )
    OR e.at < now() - interval '5 minutes' AND NOT EXISTS (SELECT FROM server.runs r WHERE r.run_id = e.run_id);
