-- name: cancel_waiting(tenant, request, key, why)!
-- What the same request, or an earlier one of the thread, left waiting, is not waited for any more.
update treasury.transactions set status = 'cancelled', why = :why
where tenant = :tenant and status = 'checked'
  and starts_with(request, regexp_replace(:request, ':[0-9]+$', ':')) and key <> :key;

-- name: enter(tenant, key, request, kind, amount_usd, beneficiary, account, reference, side, symbol, quantity, requested_by, signatures_needed, digest, risk)^
-- Enters what was checked; no row comes back when that key is there already.
insert into treasury.transactions (tenant, key, request, kind, amount_usd, beneficiary, account, reference, side, symbol,
                                   quantity, requested_by, signatures_needed, digest, risk)
values (:tenant, :key, :request, :kind, :amount_usd, :beneficiary, :account, :reference, :side, :symbol, :quantity,
        :requested_by, :signatures_needed, :digest, :risk)
on conflict (tenant, key) do nothing
returning transaction_id;

-- name: find(tenant, key)^
-- A transaction by its key, as it stands.
select transaction_id, kind, amount_usd, beneficiary, account, reference, side, symbol, quantity, requested_by,
       signatures_needed, digest, status, why, bank_reference
from treasury.transactions
where tenant = :tenant and key = :key;

-- name: cancel(tenant, key, why)!
-- Nobody waits for it any more.
update treasury.transactions set status = 'cancelled', why = :why
where tenant = :tenant and key = :key and status = 'checked';

-- name: lock(tenant, key)^
-- The same, and nobody else moves it until this transaction ends.
select transaction_id, kind, amount_usd, beneficiary, account, reference, side, symbol, quantity, requested_by,
       signatures_needed, digest, status, why, bank_reference
from treasury.transactions
where tenant = :tenant and key = :key
for update;
