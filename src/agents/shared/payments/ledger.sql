-- name: find_refund(key)^
-- The refund that was made under a key.
select order_id, amount_usd, provider, reference
from shop.refunds
where idempotency_key = :key;

-- name: record_refund(key, order_id, ticket_id, request, amount, provider, reference)^
-- Adds a refund to the ledger; no row comes back when that key made one before.
insert into shop.refunds (idempotency_key, order_id, ticket_id, request, amount_usd, provider, reference)
values (:key, :order_id, :ticket_id, :request, :amount, :provider, :reference)
on conflict (idempotency_key) do nothing
returning refund_id;

-- name: find_hold(key)^
-- The refund that a payment provider was asked for under a key and has not confirmed.
select order_id, amount_usd
from shop.refund_holds
where idempotency_key = :key;

-- name: place_hold(key, order_id, ticket_id, amount)^
-- Sets money aside before a provider is asked; no row comes back when that key holds some already.
insert into shop.refund_holds (idempotency_key, order_id, ticket_id, amount_usd)
values (:key, :order_id, :ticket_id, :amount)
on conflict (idempotency_key) do nothing
returning idempotency_key;

-- name: release_hold(key)!
-- Gives the money set aside under a key free again, because it was paid or because it surely was not.
delete from shop.refund_holds
where idempotency_key = :key;
