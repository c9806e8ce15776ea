-- name: record
-- An entry of this transaction; its commit puts it into the chain.
INSERT INTO reviews.audit_pending (review_id, actor, action, detail, opening)
VALUES (CAST(:review_id AS uuid), :actor, :action, :detail, :opening);

-- name: record_seen
-- The same, unless the same was recorded before. Two at once may both be recorded: true, and harmless.
INSERT INTO reviews.audit_pending (review_id, actor, action, detail, opening)
SELECT CAST(:review_id AS uuid), :actor, :action, :detail, :opening
WHERE NOT EXISTS (
    SELECT FROM reviews.audit
    WHERE review_id = CAST(:review_id AS uuid) AND actor = :actor AND action = :action AND detail = :detail
);

-- name: head
-- The newest entry.
SELECT seq, hash, clock_timestamp() AS at FROM reviews.audit_head;

-- name: all_entries
-- The whole chain in its order.
SELECT seq, at, review_id, actor, action, detail, previous, hash FROM reviews.audit ORDER BY seq;

-- name: history
-- What happened with one review.
SELECT seq, at, review_id, actor, action, detail, previous, hash
FROM reviews.audit WHERE review_id = CAST(:review_id AS uuid) ORDER BY seq;

-- name: beginnings^
-- Words as a search for entries that have them all, each from its beginning.
SELECT string_agg(quote_literal(lexeme) || ':*', ' & ') AS words
FROM unnest(to_tsvector('simple', translate(CAST(:words AS text), '/', ' ')));

-- name: with_words
-- The entries with these words, if they are few: whoever finds :limit of them looks among the newest instead.
SELECT seq FROM reviews.audit WHERE words @@ CAST(:words AS tsquery) LIMIT :limit;

-- name: search
-- A page of entries, newest first, of the reviews that somebody may see; what concerns no review is for those who see all.
SELECT a.seq, a.at, a.review_id, a.actor, a.action, a.detail, a.previous, a.hash
FROM reviews.audit AS a LEFT JOIN reviews.reviews AS r ON r.id = a.review_id
WHERE (:every_group OR r.groups && CAST(:own_groups AS text[]))
    AND (CAST(:review_id AS uuid) IS NULL OR a.review_id = CAST(:review_id AS uuid))
    AND (CAST(:actor AS text) IS NULL OR a.actor = :actor)
    AND (CAST(:action AS text) IS NULL OR a.action = :action)
    AND (CAST(:few AS bigint[]) IS NULL OR a.seq = ANY(CAST(:few AS bigint[])))
    AND (CAST(:words AS text) IS NULL OR a.words @@ CAST(:words AS tsquery))
    AND (CAST(:before AS bigint) IS NULL OR a.seq < :before)
ORDER BY a.seq DESC
LIMIT :limit;
