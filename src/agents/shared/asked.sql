-- name: put(thread_id, task_id, digest)^
-- Notes what a question shows when it is first put; the digest that is noted.
with put as (
    insert into shop.refund_questions (thread_id, task_id, digest) values (:thread_id, :task_id, :digest)
    on conflict do nothing
    returning digest
)
select digest from put
union all
select digest from shop.refund_questions where thread_id = :thread_id and task_id = :task_id;

-- name: shown(thread_id, task_id)^
-- What the question of a task showed, if it was put.
select digest from shop.refund_questions where thread_id = :thread_id and task_id = :task_id;
