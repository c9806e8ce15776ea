-- name: newest
-- The end of the log. Entries get their numbers in the order of their commits, so none comes in below it later.
SELECT seq FROM reviews.audit_head;

-- name: since
-- What happened to reviews in scope. That somebody looked at one is no news.
SELECT a.seq, CAST(a.review_id AS text) AS review_id, a.action, r.state, r.phase
FROM reviews.audit AS a JOIN reviews.reviews AS r ON r.id = a.review_id
WHERE a.seq > :after AND a.seq <= :until AND a.action <> 'seen'
    AND (:every_group OR r.groups && CAST(:own_groups AS text[]))
ORDER BY a.seq
LIMIT :limit;
