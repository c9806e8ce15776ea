-- name: start
-- A session, and that its user has signed in; the database's clock sets its end.
WITH seen AS (UPDATE reviews.users SET signed_in_at = now() WHERE name = :user)
INSERT INTO reviews.sessions (session_hash, user_name, expires_at, address, agent)
VALUES (:digest, :user, now() + CAST(:lifetime AS interval), :address, :agent);

-- name: use
-- Who is signed in; when last seen is written at most once a minute, not at each request.
WITH found AS (
    SELECT s.session_id, s.last_seen_at, u.name, u.groups, u.roles
    FROM reviews.sessions AS s JOIN reviews.users AS u ON u.name = s.user_name
    WHERE s.session_hash = :digest AND s.expires_at > now()
), noted AS (
    UPDATE reviews.sessions SET last_seen_at = now()
    WHERE session_id = (SELECT session_id FROM found WHERE last_seen_at < now() - interval '1 minute')
)
SELECT session_id, name, groups, roles FROM found;

-- name: end
-- Sign out of one browser.
DELETE FROM reviews.sessions WHERE session_hash = :digest;

-- name: end_all
-- Sign out of every browser.
DELETE FROM reviews.sessions WHERE user_name = :user;

-- name: tidy
-- Sessions that are over, removed by whoever signs in next.
DELETE FROM reviews.sessions WHERE expires_at < now();
