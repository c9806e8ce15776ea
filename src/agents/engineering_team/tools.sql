-- name: keep_deliverable(key, tenant, thread_id, task, files, status, passed, total, findings, handoffs, accepted_by)!
-- Keeps what the team has delivered, unless something is kept under that key.
insert into workshop.deliverables
    (idempotency_key, tenant, thread_id, task, files, status, passed, total, findings, handoffs, accepted_by)
values (:key, :tenant, :thread_id, :task, :files, :status, :passed, :total, :findings, :handoffs, :accepted_by)
on conflict (idempotency_key) do nothing;

-- name: kept_files(key)^
-- The files that are kept under a key.
select files from workshop.deliverables where idempotency_key = :key;
