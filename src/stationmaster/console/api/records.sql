-- name: edits
-- Answers that changed something in the proposal, in the order in which they were given.
SELECT id AS review_id, graph, assistant_name AS assistant, assistant_version, node, shape, title, payload, edits,
    answer, decision, reason, decided_by, decided_at, state
FROM reviews.reviews
WHERE edits IS NOT NULL AND decided_at IS NOT NULL
    AND (:every_group OR groups && CAST(:own_groups AS text[]))
    AND (CAST(:graph AS text) IS NULL OR graph = :graph)
    AND (CAST(:since AS timestamptz) IS NULL OR decided_at >= :since)
ORDER BY decided_at, id;
