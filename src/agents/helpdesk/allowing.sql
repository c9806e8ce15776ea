-- name: allow(tenant, thread_id, call_id, order_id, amount_usd, allowed_by)!
insert into helpdesk.allowed_refunds (tenant, thread_id, call_id, order_id, amount_usd, allowed_by)
values (:tenant, :thread_id, :call_id, :order_id, :amount_usd, :allowed_by)
on conflict do nothing;

-- name: is_allowed(thread_id, call_id, order_id, amount_usd)^
select exists (
    select from helpdesk.allowed_refunds
    where thread_id = :thread_id and call_id = :call_id and order_id = :order_id and amount_usd = :amount_usd
) as allowed;
