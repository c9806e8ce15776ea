-- name: keep_deliverable(key, tenant, thread_id, task, files, status, passed, total, findings, handoffs, accepted_by)!
-- Keeps what the team has delivered, unless something is kept under that key.
insert into workshop.deliverables
    (idempotency_key, tenant, thread_id, task, files, status, passed, total, findings, handoffs, accepted_by)
values (:key, :tenant, :thread_id, :task, :files, :status, :passed, :total, :findings, :handoffs, :accepted_by)
on conflict (idempotency_key) do nothing;

-- name: kept_deliverable(key)^
-- What is kept under a key: the files, and whether they were delivered or accepted.
select files, status from workshop.deliverables where idempotency_key = :key;
