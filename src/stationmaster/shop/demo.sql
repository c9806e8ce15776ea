-- name: standing(order_id, reason)^
-- What decides whether a demo order can still show what it is there for.
select
    o.status,
    o.refunded_usd + o.held_usd as given_back,
    current_date - o.delivered_on <= p.window_days as in_policy
from shop.orders o, shop.return_policies p
where o.order_id = :order_id and p.reason = :reason;

-- name: missing()^
-- A number that no order has.
select number::text as number
from generate_series(99999, 90000, -1) as number
where not exists (select from shop.orders where order_id = number::text)
limit 1;

-- name: today()^
-- The day, by the database's clock and time zone.
select current_date as today;
