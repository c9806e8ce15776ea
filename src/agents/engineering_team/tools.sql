-- name: keep_deliverable(key, tenant, thread_id, task, files, status, passed, total, findings, handoffs, accepted_by)^
-- Keeps what the team has delivered; no row comes back when that key is there already.
insert into workshop.deliverables
    (idempotency_key, tenant, thread_id, task, files, status, passed, total, findings, handoffs, accepted_by)
values (:key, :tenant, :thread_id, :task, :files, :status, :passed, :total, :findings, :handoffs, :accepted_by)
on conflict (idempotency_key) do nothing
returning deliverable_id;
