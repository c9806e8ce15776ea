-- name: create
-- A link that decides; the database's clock sets its end. It never outlives the time at which the review expires.
INSERT INTO reviews.one_time_links (link_hash, purpose, review_id, decision, audience, expires_at)
SELECT :digest, 'decide', id, :decision, :audience,
    least(now() + CAST(:lifetime AS interval), coalesce(expires_at, 'infinity'))
FROM reviews.reviews WHERE id = CAST(:review_id AS uuid);

-- name: look
-- What a link would do, while it can.
SELECT l.review_id, l.decision, l.audience, r.groups, l.expires_at
FROM reviews.one_time_links AS l JOIN reviews.reviews AS r ON r.id = l.review_id
WHERE l.link_hash = :digest AND l.purpose = 'decide' AND l.used_at IS NULL AND l.expires_at > now()
    AND r.state = 'open';

-- name: take
-- Use it up: the row's lock lets one caller win.
UPDATE reviews.one_time_links AS l SET used_at = now()
FROM reviews.reviews AS r
WHERE l.link_hash = :digest AND l.purpose = 'decide' AND l.used_at IS NULL AND l.expires_at > now()
    AND r.id = l.review_id AND r.state = 'open'
RETURNING l.review_id, l.decision, l.audience, r.groups, l.expires_at;
