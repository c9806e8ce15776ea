-- name: add
-- A local user.
INSERT INTO reviews.users (name, password_hash, roles, groups)
VALUES (:name, :password_hash, :roles, :groups)
RETURNING name, roles, groups, password_hash IS NOT NULL AS has_password, oidc_subject IS NOT NULL AS from_provider,
    created_at, signed_in_at;

-- name: find
-- One user by name.
SELECT name, roles, groups, password_hash IS NOT NULL AS has_password, oidc_subject IS NOT NULL AS from_provider,
    created_at, signed_in_at
FROM reviews.users WHERE name = :name;

-- name: list
-- Everybody, for `stationmaster users list`.
SELECT name, roles, groups, password_hash IS NOT NULL AS has_password, oidc_subject IS NOT NULL AS from_provider,
    created_at, signed_in_at
FROM reviews.users ORDER BY name;

-- name: count
-- Whether anybody could sign in at all.
SELECT count(*) AS users FROM reviews.users;

-- name: remove
-- A user with sessions, tokens and links, which go by their foreign keys.
DELETE FROM reviews.users WHERE name = :name RETURNING name;

-- name: set_password
-- The password, and the end of every session in one statement: nobody stays in with the old one.
WITH ended AS (DELETE FROM reviews.sessions WHERE user_name = :name)
UPDATE reviews.users SET password_hash = :password_hash WHERE name = :name RETURNING name;

-- name: set_groups
-- Which groups' reviews are seen.
UPDATE reviews.users SET groups = :groups WHERE name = :name RETURNING name;

-- name: set_roles
-- What may be done.
UPDATE reviews.users SET roles = :roles WHERE name = :name RETURNING name;
