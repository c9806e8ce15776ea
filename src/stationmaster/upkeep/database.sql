-- name: has_server
-- Whether a durable server has used this database.
SELECT to_regclass('server.threads') IS NOT NULL AND to_regclass('public.checkpoints') IS NOT NULL AS present;
