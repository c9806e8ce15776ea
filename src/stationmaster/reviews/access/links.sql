-- name: create
-- A link; the database's clock sets its end.
INSERT INTO reviews.one_time_links (link_hash, purpose, user_name, expires_at)
VALUES (:digest, 'sign_in', :user, now() + CAST(:lifetime AS interval))
RETURNING user_name, expires_at;

-- name: make_first
-- The first user, if there is none. Its name comes back as long as nobody can sign in otherwise or ever has.
WITH made AS (
    INSERT INTO reviews.users (name, roles, groups)
    SELECT :name, ARRAY['admin'], :groups WHERE NOT EXISTS (SELECT FROM reviews.users)
    ON CONFLICT DO NOTHING
    RETURNING name
)
SELECT name FROM made
UNION
SELECT name FROM reviews.users
WHERE name = :name AND NOT EXISTS (
    SELECT FROM reviews.users
    WHERE name <> :name OR signed_in_at IS NOT NULL OR password_hash IS NOT NULL
);

-- name: look
-- What a link would do.
SELECT user_name, expires_at FROM reviews.one_time_links
WHERE link_hash = :digest AND purpose = 'sign_in' AND used_at IS NULL AND expires_at > now();

-- name: take
-- Use it up: the row's lock lets one caller win.
UPDATE reviews.one_time_links SET used_at = now()
WHERE link_hash = :digest AND purpose = 'sign_in' AND used_at IS NULL AND expires_at > now()
RETURNING user_name;

-- name: tidy
-- Links that nobody can use any more.
DELETE FROM reviews.one_time_links WHERE expires_at < now() - interval '1 day';
