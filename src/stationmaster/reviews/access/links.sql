-- name: create
-- A link; the database's clock sets its end.
INSERT INTO reviews.one_time_links (link_hash, purpose, user_name, expires_at)
VALUES (:digest, 'sign_in', :user, now() + CAST(:lifetime AS interval))
RETURNING user_name, expires_at;

-- name: make_first
-- The first user, if there is none; of two processes that start together, one waits for the other here.
INSERT INTO reviews.users (name, roles, groups)
SELECT :name, ARRAY['admin'], :groups WHERE NOT EXISTS (SELECT FROM reviews.users)
ON CONFLICT DO NOTHING;

-- name: still_first
-- That user's name, as long as nobody could sign in in another way, or ever has. Asked after the insert, in a
-- statement of its own, so that it sees what the other process made.
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
