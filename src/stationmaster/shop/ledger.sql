-- name: summary(ticket_prefix)^
-- Counts of what the tickets with this prefix have left behind, and what went back to customers in USD. The helpdesk numbers
-- requests by thread, and a ticket may have several threads: there the key tells them apart.
with made as (
    select order_id, ticket_id, request, amount_usd,
        case when starts_with(idempotency_key, 'helpdesk:') then idempotency_key end as thread
    from shop.refunds where starts_with(ticket_id, :ticket_prefix)
)
select
    (select count(*) from made) as refunds,
    (select count(*) from made) - (select count(*) from (select distinct ticket_id, order_id, request, thread from made) as each)
        as duplicate_refunds,
    (select count(*) from shop.refund_holds where starts_with(ticket_id, :ticket_prefix)) as holds,
    (select count(*) from shop.mails where starts_with(ticket_id, :ticket_prefix)) as mails,
    (select count(*) from shop.dead_letters where starts_with(ticket_id, :ticket_prefix)) as dead_letters,
    (select coalesce(sum(amount_usd), 0)::float8 from made) as total_usd;

-- name: refunds(ticket_prefix)
-- The refunds of the tickets with this prefix, oldest first.
select
    to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as made_at, ticket_id, order_id,
    amount_usd::float8 as amount_usd, provider, reference
from shop.refunds
where starts_with(ticket_id, :ticket_prefix)
order by refund_id;
