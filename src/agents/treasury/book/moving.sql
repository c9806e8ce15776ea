-- name: one_at_a_time(tenant)
-- The day's limit is counted and used up by one at a time.
select pg_advisory_xact_lock(hashtextextended('treasury:' || :tenant, 0));

-- name: begin(tenant, key)!
-- From here on the money counts as gone. Fails where signatures are missing.
update treasury.transactions set status = 'executing', executing_at = now()
where tenant = :tenant and key = :key and status = 'checked';

-- name: finish(tenant, key, bank_reference, risk)^
-- The bank has carried it out; no row comes back where it is not under way.
update treasury.transactions
set status = 'executed', executed_at = now(), bank_reference = :bank_reference, risk = coalesce(risk, :risk)
where tenant = :tenant and key = :key and status = 'executing'
returning status;

-- name: fail(tenant, key, why)^
-- The bank has surely not carried it out; as above.
update treasury.transactions set status = 'failed', why = :why
where tenant = :tenant and key = :key and status = 'executing'
returning status;
