-- name: list(ticket_prefix)
-- The refunds that a payment provider was asked for and has not confirmed, of the tickets with this prefix; oldest first.
select
    to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as held_since, idempotency_key as key, ticket_id,
    order_id, amount_usd::float8 as amount_usd
from shop.refund_holds
where starts_with(ticket_id, :ticket_prefix)
order by created_at, idempotency_key;

-- name: release(key)^
-- Give the money back to the order: the provider surely did not pay it.
delete from shop.refund_holds where idempotency_key = :key
returning idempotency_key as key, ticket_id, order_id, amount_usd::float8 as amount_usd;
