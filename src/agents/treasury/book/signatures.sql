-- name: officer(tenant, name)^
-- Whether somebody may sign with a key of his own.
select exists (select from treasury.officers where tenant = :tenant and name = :name) as is_one;

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
