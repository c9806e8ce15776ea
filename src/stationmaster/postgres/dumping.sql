-- name: standing
-- What a database is, and what is in it: relations of its own, apart from those of extensions.
SELECT current_database() AS name, current_setting('server_version_num')::integer / 10000 AS major, (
    SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_'
        AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
) AS relations;

-- name: others
-- Who else is connected to a database.
SELECT coalesce(nullif(application_name, ''), 'a client without a name') AS name, count(*) AS count
FROM pg_stat_activity WHERE datname = :name AND pid <> pg_backend_pid() AND backend_type = 'client backend'
GROUP BY 1 ORDER BY 1;

-- name: may_create
-- Whether we may make databases here.
SELECT rolcreatedb OR rolsuper AS allowed FROM pg_roles WHERE rolname = current_user;
