-- name: thread
-- A thread's row, as the beginning of its line.
SELECT json_build_object('thread_id', t.thread_id, 'exported_at', now(), 'thread', to_json(t))::text AS line
FROM server.threads t WHERE t.thread_id = :thread;

-- name: runs_of
-- Where its runs stand, and about how long each is as JSON.
SELECT ctid::text AS place, octet_length(kwargs::text) + octet_length(metadata::text) AS size
FROM server.runs WHERE thread_id = :thread ORDER BY created_at, run_id;

-- name: runs
-- Some of them, without what their callers sent along.
SELECT json_build_object(
    'run_id', r.run_id, 'assistant_id', r.assistant_id, 'assistant_version', r.assistant_version,
    'status', r.status, 'metadata', r.metadata, 'input', r.kwargs -> 'input', 'command', r.kwargs -> 'command',
    'user_id', r.user_id, 'created_at', r.created_at, 'updated_at', r.updated_at
)::text AS line
FROM server.runs r WHERE r.ctid = ANY (:places::tid[]) AND r.thread_id = :thread ORDER BY r.created_at, r.run_id;

-- name: checkpoints_of
-- Where its checkpoints stand.
SELECT ctid::text AS place, octet_length(checkpoint::text) + octet_length(metadata::text) AS size
FROM public.checkpoints WHERE thread_id = :thread::text ORDER BY checkpoint_ns, checkpoint_id;

-- name: checkpoints
-- Some of them.
SELECT json_build_object(
    'checkpoint_ns', c.checkpoint_ns, 'checkpoint_id', c.checkpoint_id,
    'parent_checkpoint_id', c.parent_checkpoint_id, 'checkpoint', c.checkpoint, 'metadata', c.metadata
)::text AS line
FROM public.checkpoints c WHERE c.ctid = ANY (:places::tid[]) AND c.thread_id = :thread::text
ORDER BY c.checkpoint_ns, c.checkpoint_id;

-- name: blobs_of
-- Where its blobs stand.
SELECT ctid::text AS place, coalesce(octet_length(blob), 0) AS size
FROM public.checkpoint_blobs WHERE thread_id = :thread::text;

-- name: blobs
-- Some of them.
SELECT json_build_object(
    'checkpoint_ns', b.checkpoint_ns, 'channel', b.channel, 'version', b.version, 'type', b.type,
    'base64', translate(encode(b.blob, 'base64'), E'\n', '')
)::text AS line
FROM public.checkpoint_blobs b WHERE b.ctid = ANY (:places::tid[]) AND b.thread_id = :thread::text;

-- name: writes_of
-- Where its pending writes stand.
SELECT ctid::text AS place, octet_length(blob) AS size FROM public.checkpoint_writes WHERE thread_id = :thread::text;

-- name: writes
-- Some of them.
SELECT json_build_object(
    'checkpoint_ns', w.checkpoint_ns, 'checkpoint_id', w.checkpoint_id, 'task_id', w.task_id, 'idx', w.idx,
    'channel', w.channel, 'type', w.type, 'base64', translate(encode(w.blob, 'base64'), E'\n', '')
)::text AS line
FROM public.checkpoint_writes w WHERE w.ctid = ANY (:places::tid[]) AND w.thread_id = :thread::text;
