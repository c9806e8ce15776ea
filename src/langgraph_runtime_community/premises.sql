-- name: standing
-- Of this database and role: the version, whether there is an extension for vectors, how many connections ordinary
-- roles may have, and how many of these nobody has.
WITH allowed AS (
    SELECT least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
            - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
        (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
    ) AS count
)
SELECT current_setting('server_version_num')::integer / 10000 AS version,
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') AS vector,
    allowed.count AS allowed,
    allowed.count - (
        SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
    )::integer AS free
FROM allowed;
