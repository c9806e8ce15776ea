-- name: listed(tenant, status)
-- The treasury's transactions of a tenant, newest first; '' is any status.
select t.transaction_id, t.kind, t.amount_usd::float8 as amount_usd, coalesce(t.beneficiary, t.side || ' ' || t.quantity || ' ' || t.symbol) as what,
       t.reference, t.requested_by, t.status, t.why, t.bank_reference, t.created_at,
       coalesce((select array_agg(s.signer order by s.signed_at) from treasury.signatures s
                 where s.transaction_id = t.transaction_id), '{}') as signed_by
from treasury.transactions t
where t.tenant = :tenant and (:status = '' or t.status = :status)
order by t.transaction_id desc
limit 200;

-- name: settle_executed(tenant, transaction_id, bank_reference)^
-- The bank says that it has carried it out.
update treasury.transactions
set status = 'executed', executed_at = now(), bank_reference = :bank_reference, risk = coalesce(risk, 100)
where tenant = :tenant and transaction_id = :transaction_id and status = 'executing'
returning transaction_id;

-- name: settle_failed(tenant, transaction_id, why)^
-- The bank says that it has not, and never will.
update treasury.transactions set status = 'failed', why = :why
where tenant = :tenant and transaction_id = :transaction_id and status = 'executing'
returning transaction_id;
