-- name: count
-- One more failure in the present window, or the first of a new one.
INSERT INTO reviews.login_failures AS f (kind, key, failures, since)
VALUES (:kind, :key, 1, now())
ON CONFLICT (kind, key) DO UPDATE SET
    failures = CASE WHEN f.since < now() - make_interval(secs => :window) THEN 1 ELSE f.failures + 1 END,
    since = CASE WHEN f.since < now() - make_interval(secs => :window) THEN now() ELSE f.since END
RETURNING failures,
    CAST(extract(epoch FROM since + make_interval(secs => :window) - now()) AS float) AS left_s;

-- name: forgive
-- What a right sign-in takes back.
UPDATE reviews.login_failures
SET failures = CASE WHEN kind = 'name' AND key = :here THEN 0 ELSE greatest(failures - 1, 0) END
WHERE (kind = 'name' AND key IN (:here, :name)) OR (kind = 'address' AND key = :address);

-- name: tidy
-- Windows that are over.
DELETE FROM reviews.login_failures WHERE since < now() - make_interval(secs => :window);
