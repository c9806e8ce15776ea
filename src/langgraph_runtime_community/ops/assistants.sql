-- name: search
-- Assistants by graph, part of the name, metadata, and what the caller may see.
SELECT * FROM server.assistants
WHERE (:graph_id::text IS NULL OR graph_id = :graph_id::text)
    AND (:name::text IS NULL OR position(lower(:name::text) IN lower(name)) > 0)
    AND metadata @> :metadata::jsonb AND server.passes(metadata, :filter);

-- name: count
-- How many there are of them.
SELECT count(*) AS total FROM server.assistants
WHERE (:graph_id::text IS NULL OR graph_id = :graph_id::text)
    AND (:name::text IS NULL OR position(lower(:name::text) IN lower(name)) > 0)
    AND metadata @> :metadata::jsonb AND server.passes(metadata, :filter);

-- name: find
-- One assistant, if the caller may see it.
SELECT * FROM server.assistants WHERE assistant_id = :assistant_id AND server.passes(metadata, :filter);

-- name: insert
-- A new assistant with its first version; no row if there is one with this id.
WITH made AS (
    INSERT INTO server.assistants (assistant_id, graph_id, name, description, config, context, metadata, version)
    VALUES (:assistant_id, :graph_id, :name, :description, :config, :context, :metadata, 1)
    ON CONFLICT (assistant_id) DO NOTHING RETURNING *
), versioned AS (
    INSERT INTO server.assistant_versions
        (assistant_id, version, graph_id, name, description, config, context, metadata, created_at, author, reason)
    SELECT assistant_id, version, graph_id, name, description, config, context, metadata, created_at, :author, :reason
    FROM made
)
SELECT * FROM made;

-- name: lock
-- One assistant for a change: nobody else makes a version of it meanwhile.
SELECT * FROM server.assistants WHERE assistant_id = :assistant_id AND server.passes(metadata, :filter) FOR UPDATE;

-- name: next_version
-- The number of the next version.
SELECT max(version) + 1 AS version FROM server.assistant_versions WHERE assistant_id = :assistant_id;

-- name: add_version
-- A version, as it was asked for.
INSERT INTO server.assistant_versions
    (assistant_id, version, graph_id, name, description, config, context, metadata, author, reason)
VALUES (:assistant_id, :version, :graph_id, :name, :description, :config, :context, :metadata, :author, :reason);

-- name: show_version
-- Make a version the one that runs use: every field of it. No row if there is no such version.
UPDATE server.assistants a SET
    version = v.version, graph_id = v.graph_id, name = v.name, description = v.description,
    config = v.config, context = v.context, metadata = v.metadata, updated_at = clock_timestamp()
FROM server.assistant_versions v
WHERE a.assistant_id = :assistant_id AND v.assistant_id = a.assistant_id AND v.version = :version
RETURNING a.*;

-- name: note_shown
-- Who made it the current one again, and why.
UPDATE server.assistant_versions SET shown_by = :author, shown_reason = :reason, shown_at = clock_timestamp()
WHERE assistant_id = :assistant_id AND version = :version;

-- name: author_of
-- Who made the version that is current.
SELECT author FROM server.assistant_versions WHERE assistant_id = :assistant_id AND version = :version;

-- name: versions
-- The versions of an assistant, newest first.
SELECT v.* FROM server.assistant_versions v
WHERE v.assistant_id = :assistant_id AND v.metadata @> :metadata::jsonb AND server.passes(v.metadata, :filter)
ORDER BY v.version DESC LIMIT :limit OFFSET :offset;

-- name: delete
-- An assistant with its versions and crons; runs that it made stay.
DELETE FROM server.assistants WHERE assistant_id = :assistant_id AND server.passes(metadata, :filter)
RETURNING assistant_id;

-- name: threads_of
-- The threads that an assistant made.
SELECT thread_id FROM server.threads WHERE metadata @> jsonb_build_object('assistant_id', :assistant_id::text);

-- name: runs_of
-- Its runs in flight.
SELECT run_id FROM server.runs WHERE assistant_id = :assistant_id AND status IN ('pending', 'running');
