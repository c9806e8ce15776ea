-- name: put(thread_id, task_id, digest)^
-- Notes what the gate's question is about when it is first put; the digest that is noted.
with put as (
    insert into shop.refund_questions (thread_id, task_id, digest) values (:thread_id, :task_id, :digest)
    on conflict do nothing
    returning digest
)
select digest from put
union all
select digest from shop.refund_questions where thread_id = :thread_id and task_id = :task_id;

-- name: asked(thread_id, task_id)^
-- What the question of this run of the gate was about, if it was put.
select digest from shop.refund_questions where thread_id = :thread_id and task_id = :task_id;

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
