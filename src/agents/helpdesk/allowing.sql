-- name: allow(tenant, thread_id, call_id, order_id, amount_usd, allowed_by, request)!
-- Keeps that a person let a call pass, and as which request; whoever answers again changes nothing.
insert into helpdesk.allowed_refunds (tenant, thread_id, call_id, order_id, amount_usd, allowed_by, request)
values (:tenant, :thread_id, :call_id, :order_id, :amount_usd, :allowed_by, :request)
on conflict do nothing;

-- name: allowed(thread_id, call_id, order_id, amount_usd)^
-- What a person let pass of this very call.
select request from helpdesk.allowed_refunds
where thread_id = :thread_id and call_id = :call_id and order_id = :order_id and amount_usd = :amount_usd;
