-- name: keep_solution(key, tenant, thread_id, task, code, tests, status, passed, total, log)^
-- Keeps a solution; no row comes back when that key is there already.
insert into workshop.solutions
    (idempotency_key, tenant, thread_id, task, code, tests, status, passed, total, log)
values (:key, :tenant, :thread_id, :task, :code, :tests, :status, :passed, :total, :log)
on conflict (idempotency_key) do nothing
returning solution_id;
