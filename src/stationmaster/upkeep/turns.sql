-- name: take
-- Take the turn, if nobody has it.
UPDATE upkeep.turn SET holder = :holder, held_until = now() + :lease * interval '1 second'
WHERE held_until IS NULL OR held_until < now() RETURNING holder;

-- name: take_nightly
-- The same, if last night's pass is still to do: a night begins at :hour, UTC.
UPDATE upkeep.turn SET holder = :holder, held_until = now() + :lease * interval '1 second'
WHERE (held_until IS NULL OR held_until < now()) AND nightly_at < (
    date_trunc('day', now() AT TIME ZONE 'UTC' - :hour * interval '1 hour') + :hour * interval '1 hour'
) AT TIME ZONE 'UTC' RETURNING holder;

-- name: renew
-- Keep the turn; no row if it was lost.
UPDATE upkeep.turn SET held_until = now() + :lease * interval '1 second' WHERE holder = :holder RETURNING holder;

-- name: give_back
-- Give the turn back; a nightly pass that came to its end is done for the night.
UPDATE upkeep.turn SET holder = NULL, held_until = NULL, nightly_at = CASE WHEN :done THEN now() ELSE nightly_at END
WHERE holder = :holder;

-- name: who
-- Who has the turn.
SELECT holder FROM upkeep.turn WHERE held_until >= now();

-- name: begin
-- Note that a pass begins.
INSERT INTO upkeep.passes (nightly, holder, days) VALUES (:nightly, :holder, :days) RETURNING pass_id;

-- name: progress
-- What a pass has done so far.
UPDATE upkeep.passes SET
    deleted = :deleted, trimmed = :trimmed, exported = :exported, bytes = :bytes, webhooks = :webhooks, problem = :problem,
    ended_at = CASE WHEN :ended THEN now() END
WHERE pass_id = :pass_id;

-- name: forget
-- Passes of long ago.
DELETE FROM upkeep.passes WHERE began_at < now() - interval '1 year';
