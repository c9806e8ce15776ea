-- name: forget_runs
-- Remove what runs saved: their checkpoints, and their writes onto those of others.
SELECT server.forget_run(t.thread_id::uuid, run::uuid)
FROM unnest(:runs::text[]) AS run
CROSS JOIN LATERAL (
    SELECT DISTINCT thread_id FROM public.checkpoints WHERE metadata ->> 'run_id' = run
    UNION SELECT DISTINCT thread_id FROM public.checkpoint_writes WHERE run_id = run::uuid
) t;

-- name: copy
-- Copy a thread's checkpoints.
SELECT server.copy_checkpoints(:source, :target);

-- name: bytes
-- Bytes by table, and of blobs by channel.
SELECT 'checkpoints' AS part, NULL AS channel, coalesce(sum(pg_column_size(c.*)), 0)::bigint AS bytes
FROM public.checkpoints c WHERE thread_id = :thread
UNION ALL
SELECT 'checkpoint_writes', NULL, coalesce(sum(pg_column_size(w.*)), 0)::bigint
FROM public.checkpoint_writes w WHERE thread_id = :thread
UNION ALL
SELECT 'checkpoint_blobs', NULL, coalesce(sum(pg_column_size(b.*)), 0)::bigint
FROM public.checkpoint_blobs b WHERE thread_id = :thread
UNION ALL
SELECT 'checkpoint_blobs', channel, sum(pg_column_size(b.*))::bigint
FROM public.checkpoint_blobs b WHERE thread_id = :thread GROUP BY channel;

-- name: keep_latest
-- Keep the newest checkpoint of each namespace; with delta channels also its ancestors back to their snapshots.
WITH RECURSIVE heads AS (
    SELECT DISTINCT ON (checkpoint_ns) checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata
    FROM public.checkpoints WHERE thread_id = :thread ORDER BY checkpoint_ns, checkpoint_id DESC
), chain AS (
    SELECT h.*, coalesce((
        SELECT max((counter.value ->> 0)::integer)
        FROM jsonb_each(server.object(h.metadata -> 'counters_since_delta_snapshot')) AS counter
        WHERE jsonb_typeof(counter.value) = 'array'
    ), 0) AS updates, coalesce((
        SELECT max((counter.value ->> 1)::integer)
        FROM jsonb_each(server.object(h.metadata -> 'counters_since_delta_snapshot')) AS counter
        WHERE jsonb_typeof(counter.value) = 'array'
    ), 0) AS steps FROM heads h
    UNION ALL
    SELECT p.checkpoint_ns, p.checkpoint_id, p.parent_checkpoint_id, p.checkpoint, p.metadata,
        chain.updates, chain.steps - 1
    FROM chain JOIN public.checkpoints p ON p.thread_id = :thread AND p.checkpoint_ns = chain.checkpoint_ns
        AND p.checkpoint_id = chain.parent_checkpoint_id
    WHERE chain.updates > 0 AND chain.steps > -1
)
DELETE FROM public.checkpoints c
WHERE c.thread_id = :thread AND NOT EXISTS (
    SELECT FROM chain WHERE chain.checkpoint_ns = c.checkpoint_ns AND chain.checkpoint_id = c.checkpoint_id
) RETURNING c.checkpoint_id;

-- name: drop_writes
-- Pending writes whose checkpoint is gone.
DELETE FROM public.checkpoint_writes w WHERE w.thread_id = :thread AND NOT EXISTS (
    SELECT FROM public.checkpoints c
    WHERE c.thread_id = w.thread_id AND c.checkpoint_ns = w.checkpoint_ns AND c.checkpoint_id = w.checkpoint_id
);

-- name: drop_replaced
-- What was replaced on checkpoints that are gone.
DELETE FROM server.replaced_writes r WHERE r.thread_id = :thread AND NOT EXISTS (
    SELECT FROM public.checkpoints c
    WHERE c.thread_id = r.thread_id AND c.checkpoint_ns = r.checkpoint_ns AND c.checkpoint_id = r.checkpoint_id
);

-- name: drop_blobs
-- Blobs that no checkpoint uses.
DELETE FROM public.checkpoint_blobs b WHERE b.thread_id = :thread AND NOT EXISTS (
    SELECT FROM public.checkpoints c
    WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns
        AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version
);
