-- name: has_bookkeeping
-- Asked first, because CREATE ... IF NOT EXISTS wants the right to create even when there is nothing to do.
SELECT to_regclass('stationmaster.migrations') IS NOT NULL AS present;

-- name: create_bookkeeping#
-- What was applied, and that the file has not changed since.
CREATE SCHEMA IF NOT EXISTS stationmaster;
CREATE TABLE IF NOT EXISTS stationmaster.migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- name: applied
-- The migrations of a room that this database has; the room of the tool itself has no name.
SELECT name, checksum FROM stationmaster.migrations
WHERE CASE WHEN position('/' IN name) > 0 THEN split_part(name, '/', 1) ELSE '' END = :room ORDER BY name;

-- name: record
-- Note a migration in the transaction that applies it.
INSERT INTO stationmaster.migrations (name, checksum) VALUES (:name, :checksum);

-- name: noted
-- All that this database has, of every room.
SELECT name FROM stationmaster.migrations;
