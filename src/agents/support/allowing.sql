-- name: answered(tenant, thread_id, ticket_id, request, order_id, amount_usd, answered_by)!
-- Keeps what a person answered.
insert into shop.refund_answers (tenant, thread_id, ticket_id, request, order_id, amount_usd, answered_by)
values (:tenant, :thread_id, :ticket_id, :request, :order_id, :amount_usd, :answered_by);

-- name: last_word(thread_id, ticket_id, request, order_id)^
-- What a person answered last about the request; without an amount it was a no.
select amount_usd
from shop.refund_answers
where (thread_id, ticket_id, request, order_id) = (:thread_id, :ticket_id, :request, :order_id)
order by answer_id desc
limit 1;

-- name: begun(key)^
-- Whether the key was paid, or is being paid.
select
    exists (select from shop.refunds where idempotency_key = :key)
    or exists (select from shop.refund_holds where idempotency_key = :key) as begun;

-- name: ceiling(tenant)^
-- Above which amount a person is asked whatever a run's context says.
select ask_above_usd::float8 as usd from shop.refund_ceilings where tenant = :tenant;
