-- name: tables
-- Tables by size with everything that belongs to them; rows as the planner estimates them, -1 where it never looked.
SELECT n.nspname || '.' || c.relname AS name, pg_total_relation_size(c.oid) AS bytes, c.reltuples::bigint AS rows
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_'
ORDER BY bytes DESC, name;

-- name: database
-- The database as a whole.
SELECT current_database() AS name, pg_database_size(current_database()) AS bytes,
    current_setting('server_version') AS postgres;

-- name: graphs
-- Threads by graph, with what is stored of them. Reads each thread's rows once.
SELECT coalesce(t.metadata ->> 'graph_id', '') AS graph, count(*) AS threads,
    sum(upkeep.bytes(t.thread_id))::bigint AS bytes, min(t.updated_at) AS oldest
FROM server.threads t GROUP BY 1 ORDER BY bytes DESC, graph;

-- name: threads
-- Threads by status.
SELECT status, count(*) AS count, min(updated_at) AS oldest FROM server.threads GROUP BY status ORDER BY status;

-- name: runs
-- Runs by status.
SELECT status, count(*) AS count, min(created_at) AS oldest FROM server.runs GROUP BY status ORDER BY status;

-- name: webhooks
-- Webhooks still to send, and those that were given up.
SELECT CASE WHEN dead_at IS NULL THEN 'to send' ELSE 'given up' END AS status, count(*) AS count,
    min(created_at) AS oldest
FROM server.outbox GROUP BY 1 ORDER BY 1;

-- name: prune
-- What a prune would do now, and what it would free.
SELECT count(*) FILTER (WHERE NOT stays) AS deleted, count(*) FILTER (WHERE stays) AS trimmed,
    count(*) FILTER (WHERE export) AS exported,
    coalesce(sum(CASE WHEN stays THEN (
        SELECT coalesce(sum(pg_column_size(c.checkpoint) + pg_column_size(c.metadata) + 100), 0)
        FROM upkeep.history(thread_id::text) h JOIN public.checkpoints c
            ON c.thread_id = r.thread_id::text AND c.checkpoint_ns = h.checkpoint_ns AND c.checkpoint_id = h.checkpoint_id
    ) ELSE upkeep.bytes(thread_id) END), 0)::bigint AS bytes
FROM upkeep.ripe(now() - :days * interval '1 day') r;

-- name: spared
-- Threads that are old enough, and stay because somebody is asked on them.
SELECT count(*) AS threads FROM server.threads t
WHERE t.updated_at < now() - :days * interval '1 day' AND t.state_updated_at < now() - :days * interval '1 day'
    AND (t.status = 'interrupted' OR t.interrupts <> '{}' OR t.thread_id::text IN (SELECT upkeep.under_review())
        OR upkeep.asked(t.thread_id::text));

-- name: passes
-- The latest prunes.
SELECT pass_id, nightly, split_part(holder, ':', 1) AS host, days, began_at, ended_at, deleted, trimmed, exported, bytes,
    webhooks, problem
FROM upkeep.passes ORDER BY pass_id DESC LIMIT 5;

-- name: turn
-- Who prunes now, if anybody; and when the next night begins.
SELECT CASE WHEN held_until >= now() THEN holder END AS holder, nightly_at,
    (date_trunc('day', nightly_at AT TIME ZONE 'UTC' - :hour * interval '1 hour') + :hour * interval '1 hour'
        + interval '1 day') AT TIME ZONE 'UTC' AS next_at
FROM upkeep.turn;
