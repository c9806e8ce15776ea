-- name: officer(tenant, name)^
-- Whether somebody may sign with a key of his own.
select exists (select from treasury.officers where tenant = :tenant and name = :name) as is_one;

-- name: asked_on_thread(tenant, key, name)^
-- Whether somebody asked for this transaction, or for anything else on its thread: state, and with it the number of the
-- request, may be written by callers.
select exists (
    select from treasury.transactions signed
    join treasury.transactions asked
      on asked.tenant = signed.tenant and starts_with(asked.request, regexp_replace(signed.request, ':[0-9]+$', ':'))
    where signed.tenant = :tenant and signed.key = :key and asked.requested_by = :name
) as is_so;

-- name: sign(tenant, key, signer, digest, note)^
-- Adds a signature; no row comes back when that person has signed already.
insert into treasury.signatures (transaction_id, tenant, signer, digest, note)
select transaction_id, tenant, :signer, :digest, :note
from treasury.transactions
where tenant = :tenant and key = :key
on conflict (transaction_id, signer) do nothing
returning signer;

-- name: signers(tenant, key)
-- Who has signed, in the order in which they did.
select s.signer
from treasury.signatures s
join treasury.transactions t using (transaction_id)
where t.tenant = :tenant and t.key = :key
order by s.signed_at, s.signer;
