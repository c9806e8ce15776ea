-- name: threads
-- Threads as they are, a JSON object each: with runs (without what their callers sent along), checkpoints and writes.
SELECT json_build_object(
    'thread_id', t.thread_id,
    'exported_at', now(),
    'thread', to_json(t),
    'runs', (
        SELECT coalesce(json_agg(json_build_object(
            'run_id', r.run_id, 'assistant_id', r.assistant_id, 'assistant_version', r.assistant_version,
            'status', r.status, 'metadata', r.metadata, 'input', r.kwargs -> 'input', 'command', r.kwargs -> 'command',
            'user_id', r.user_id, 'created_at', r.created_at, 'updated_at', r.updated_at
        ) ORDER BY r.created_at), '[]') FROM server.runs r WHERE r.thread_id = t.thread_id
    ),
    'checkpoints', (
        SELECT coalesce(json_agg(json_build_object(
            'checkpoint_ns', c.checkpoint_ns, 'checkpoint_id', c.checkpoint_id,
            'parent_checkpoint_id', c.parent_checkpoint_id, 'checkpoint', c.checkpoint, 'metadata', c.metadata
        ) ORDER BY c.checkpoint_ns, c.checkpoint_id), '[]')
        FROM public.checkpoints c WHERE c.thread_id = t.thread_id::text
    ),
    'blobs', (
        SELECT coalesce(json_agg(json_build_object(
            'checkpoint_ns', b.checkpoint_ns, 'channel', b.channel, 'version', b.version, 'type', b.type,
            'base64', translate(encode(b.blob, 'base64'), E'\n', '')
        )), '[]') FROM public.checkpoint_blobs b WHERE b.thread_id = t.thread_id::text
    ),
    'writes', (
        SELECT coalesce(json_agg(json_build_object(
            'checkpoint_ns', w.checkpoint_ns, 'checkpoint_id', w.checkpoint_id, 'task_id', w.task_id, 'idx', w.idx,
            'channel', w.channel, 'type', w.type, 'base64', translate(encode(w.blob, 'base64'), E'\n', '')
        )), '[]') FROM public.checkpoint_writes w WHERE w.thread_id = t.thread_id::text
    )
)::text AS line
FROM server.threads t WHERE t.thread_id = :thread;
