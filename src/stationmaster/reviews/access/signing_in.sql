-- name: password
-- The hash to compare with; none for users who come by a provider.
SELECT password_hash FROM reviews.users WHERE name = :name;

-- name: rehash
-- The same password hashed with the library's present parameters, unless it was changed meanwhile.
UPDATE reviews.users SET password_hash = :new WHERE name = :name AND password_hash = :old;

-- name: by_provider
-- A user whom the provider vouches for: made at the first sign-in, groups and roles taken over at each.
INSERT INTO reviews.users AS u (name, oidc_subject, roles, groups)
VALUES (:name, :subject, :roles, :groups)
ON CONFLICT (oidc_subject) DO UPDATE SET roles = excluded.roles, groups = excluded.groups
RETURNING u.name;
