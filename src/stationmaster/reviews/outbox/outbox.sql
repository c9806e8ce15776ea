-- name: put
-- Something to tell, in the transaction that it tells of.
INSERT INTO reviews.outbox (medium, kind, review_id, audience, body, not_before)
VALUES (:medium, :kind, CAST(:review_id AS uuid), :audience, :body, coalesce(CAST(:not_before AS timestamptz), now()))
RETURNING message_id;

-- name: withdraw
-- What was taken back before it was to be told.
DELETE FROM reviews.outbox
WHERE review_id = CAST(:review_id AS uuid) AND spread_at IS NULL AND not_before > now();

-- name: spread
-- Give new messages to everybody who is configured to hear them: three arrays, one element a receiver.
WITH taken AS (
    SELECT message_id, audience FROM reviews.outbox
    WHERE medium = :medium AND spread_at IS NULL AND not_before <= now()
    ORDER BY seq LIMIT :limit
    FOR UPDATE SKIP LOCKED
), given AS (
    INSERT INTO reviews.dispatches (message_id, receiver, shown)
    SELECT taken.message_id, who.receiver, who.shown
    FROM taken JOIN unnest(
        CAST(:audiences AS text[]), CAST(:receivers AS text[]), CAST(:shown AS text[])
    ) AS who (audience, receiver, shown) ON who.audience IS NOT DISTINCT FROM taken.audience
    ON CONFLICT DO NOTHING
)
UPDATE reviews.outbox SET spread_at = now() FROM taken WHERE outbox.message_id = taken.message_id;

-- name: claim
-- Take what is due for a while; a worker that dies gives it back by the lapse of that time. A receiver that hangs
-- has no more than its share in hand, so that the others don't wait for it.
WITH ranked AS (
    SELECT d.message_id, d.receiver,
        row_number() OVER (
            PARTITION BY d.receiver
            ORDER BY coalesce(d.worked_until, '-infinity') > now() DESC, d.next_try_at, o.seq
        ) AS place
    FROM reviews.dispatches AS d JOIN reviews.outbox AS o USING (message_id)
    WHERE o.medium = :medium AND d.state = 'waiting' AND d.next_try_at <= now()
), taken AS (
    SELECT d.message_id, d.receiver
    FROM reviews.dispatches AS d JOIN ranked USING (message_id, receiver)
    WHERE ranked.place <= :share AND d.state = 'waiting' AND d.next_try_at <= now()
        AND (d.worked_until IS NULL OR d.worked_until <= now())
    ORDER BY d.next_try_at LIMIT :limit
    FOR UPDATE OF d SKIP LOCKED
)
UPDATE reviews.dispatches AS d
SET worked_until = now() + CAST(:lease AS interval), tries = d.tries + 1
FROM taken, reviews.outbox AS o
WHERE d.message_id = taken.message_id AND d.receiver = taken.receiver AND o.message_id = d.message_id
RETURNING d.message_id, d.receiver, d.shown, d.tries, o.kind, o.review_id, o.audience, o.body, o.created_at;

-- name: sent
-- It was accepted; that stays true whoever else has it in hand.
UPDATE reviews.dispatches
SET state = 'sent', sent_at = now(), worked_until = NULL, last_error = NULL
WHERE message_id = :message_id AND receiver = :receiver AND state <> 'sent';

-- name: failed
-- It was not: again later, or never once its time is over. A worker whose time had lapsed changes nothing.
UPDATE reviews.dispatches
SET worked_until = NULL,
    last_error = :error,
    state = CASE WHEN :final OR now() >= give_up_at THEN 'dead' ELSE 'waiting' END,
    next_try_at = least(now() + CAST(:delay AS interval), greatest(give_up_at, now()))
WHERE message_id = :message_id AND receiver = :receiver AND state = 'waiting' AND tries = :tries;

-- name: troubled
-- What was not accepted so far: dead letters first, then what is still tried, newest first.
SELECT d.message_id, d.receiver, d.shown, d.state, d.tries, d.next_try_at, d.give_up_at, d.last_error,
    o.medium, o.kind, o.review_id, o.created_at
FROM reviews.dispatches AS d
    JOIN reviews.outbox AS o USING (message_id)
    LEFT JOIN reviews.reviews AS r ON r.id = o.review_id
WHERE d.state <> 'sent' AND d.last_error IS NOT NULL
    AND (:every_group OR r.groups && CAST(:own_groups AS text[]))
    AND (CAST(:review_id AS uuid) IS NULL OR o.review_id = CAST(:review_id AS uuid))
ORDER BY d.state = 'dead' DESC, o.seq DESC
LIMIT :limit;

-- name: replay
-- A dead letter gets another day of tries; with the same id, so that a receiver who has it already can tell.
UPDATE reviews.dispatches
SET state = 'waiting', tries = 0, next_try_at = now(), give_up_at = now() + interval '24 hours', worked_until = NULL
WHERE message_id = CAST(:message_id AS uuid) AND receiver = :receiver AND state = 'dead';

-- name: tidy
-- What was told to everybody long ago.
DELETE FROM reviews.outbox AS o
WHERE created_at < now() - CAST(:age AS interval) AND spread_at IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM reviews.dispatches AS d WHERE d.message_id = o.message_id AND d.state <> 'sent'
    );
