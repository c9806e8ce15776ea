-- name: keep_solution(key, tenant, thread_id, task, code, tests, status, passed, total, log)!
-- Keeps a solution; one that is there under the key stays.
insert into workshop.solutions
    (idempotency_key, tenant, thread_id, task, code, tests, status, passed, total, log)
values (:key, :tenant, :thread_id, :task, :code, :tests, :status, :passed, :total, :log)
on conflict (idempotency_key) do nothing;

-- name: kept_solution(key)^
-- What is kept under a key.
select code from workshop.solutions where idempotency_key = :key;
