-- name: create
-- A new token; the database's clock sets its end.
INSERT INTO reviews.tokens (user_name, label, token_hash, expires_at)
VALUES (:user, :label, :digest, now() + CAST(:lifetime AS interval))
RETURNING token_id, user_name, label, created_at, expires_at, last_used_at, revoked_at;

-- name: list
-- Tokens of one user or of everybody, newest first.
SELECT token_id, user_name, label, created_at, expires_at, last_used_at, revoked_at
FROM reviews.tokens
WHERE CAST(:user AS text) IS NULL OR user_name = :user
ORDER BY created_at DESC, token_id;

-- name: revoke
-- End a token now; its row stays, for the record of what it did.
UPDATE reviews.tokens SET revoked_at = now()
WHERE user_name = :user AND label = :label AND revoked_at IS NULL
RETURNING token_id;

-- name: use
-- Who stands behind a token; its last use is written at most once a minute, not at each request.
WITH found AS (
    SELECT t.token_id, t.last_used_at, u.name, u.groups, u.roles
    FROM reviews.tokens AS t JOIN reviews.users AS u ON u.name = t.user_name
    WHERE t.token_hash = :digest AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
), noted AS (
    UPDATE reviews.tokens SET last_used_at = now()
    WHERE token_id = (SELECT token_id FROM found WHERE last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
)
SELECT token_id, name, groups, roles FROM found;
