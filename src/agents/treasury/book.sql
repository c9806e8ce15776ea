-- name: limits(tenant)^
-- What the tenant is bound to; one without a row of its own has the house's limits.
select coalesce(l.signature_above_usd, 5000)::float8 as signature_above_usd,
       coalesce(l.two_above_usd, 10000)::float8 as two_above_usd,
       coalesce(l.largest_usd, 250000)::float8 as largest_usd,
       coalesce(l.daily_usd, 500000)::float8 as daily_usd,
       coalesce(l.inboxes, '{local,console}') as inboxes
from (values (:tenant::text)) as asked (tenant)
left join treasury.limits l using (tenant);

-- name: spent_today(tenant, key)^
-- What has gone out today or is on its way, without the transaction itself.
select coalesce(sum(amount_usd), 0)::float8 as usd
from treasury.transactions
where tenant = :tenant and key <> :key and status in ('executing', 'executed')
  and executing_at >= date_trunc('day', now());

-- name: list_is_loaded()^
-- Whether there is any sanctions list to check against.
select exists (select from treasury.sanctions) as loaded;

-- name: screen(tenant, beneficiary, account)
-- Sanctions entries that a payee may be, surest first; names that compliance has cleared for this account are left out.
with asked as (
    select treasury.name_key(:beneficiary) as name, treasury.trigrams(treasury.name_key(:beneficiary)) as parts,
           treasury.account_key(:account) as account
),
hits as (
    select s.entry, s.list, s.name, s.account_key = a.account as by_account, s.name_key = a.name as by_name,
           (select count(*) from unnest(s.name_parts) as part where part = any (a.parts))::float8 as shared,
           cardinality(s.name_parts) as theirs, cardinality(a.parts) as ours
    from treasury.sanctions s, asked a
    where s.name_parts && a.parts or s.account_key = a.account
)
select entry, list, name, coalesce(by_account, false) as by_account, by_name,
       shared / nullif(theirs + ours - shared, 0) as likeness
from hits h
where coalesce(by_account, false)
   or ((by_name or shared / nullif(theirs + ours - shared, 0) >= 0.5) and not exists (
        select from treasury.clearances c, asked a
        where c.tenant = :tenant and c.account_key = a.account and c.entry = h.entry
   ))
order by coalesce(by_account, false) desc, by_name desc, likeness desc, entry
limit 5;

-- name: instrument(symbol)^
-- An instrument and its price.
select symbol, name, price_usd::float8 as price_usd from treasury.instruments where symbol = :symbol;

-- name: held(tenant, symbol, key)^
-- How many shares a tenant has, without those that are on their way out; the transaction itself does not count.
select coalesce(sum(case when side = 'sell' then -quantity when status = 'executed' then quantity else 0 end), 0)::int
       as quantity
from treasury.transactions
where tenant = :tenant and symbol = :symbol and key <> :key and status in ('executing', 'executed');

-- name: paid_before(tenant, account, reference, thread)^
-- The transaction by which this very reference of this payee was paid, is being paid or waits in another thread.
select transaction_id, status, amount_usd::float8 as amount_usd
from treasury.transactions
where tenant = :tenant and treasury.account_key(account) = treasury.account_key(:account)
  and upper(reference) = upper(:reference) and kind = 'payment'
  and (status in ('executing', 'executed') or (status = 'checked' and not starts_with(request, :thread || ':')))
limit 1;

-- name: alike(tenant, account, amount, thread)
-- Payments of the last week that look the same but for their reference.
select transaction_id, reference, status
from treasury.transactions
where tenant = :tenant and treasury.account_key(account) = treasury.account_key(:account) and amount_usd = :amount
  and (status in ('executing', 'executed') or (status = 'checked' and not starts_with(request, :thread || ':')))
  and created_at > now() - interval '7 days'
order by transaction_id desc
limit 3;

-- name: known_payee(tenant, account)^
-- Whether money went to this account before.
select exists (
    select from treasury.transactions
    where tenant = :tenant and treasury.account_key(account) = treasury.account_key(:account) and status = 'executed'
) as known;

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

-- name: lock(tenant, key)^
-- The same, and nobody else moves it until this transaction ends.
select transaction_id, kind, amount_usd, beneficiary, account, reference, side, symbol, quantity, requested_by,
       signatures_needed, digest, status, why, bank_reference
from treasury.transactions
where tenant = :tenant and key = :key
for update;

-- name: one_at_a_time(tenant)
-- The day's limit is counted and used up by one at a time.
select pg_advisory_xact_lock(hashtextextended('treasury:' || :tenant, 0));

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

-- name: begin(tenant, key)!
-- From here on the money counts as gone. Fails where signatures are missing.
update treasury.transactions set status = 'executing', executing_at = now()
where tenant = :tenant and key = :key and status = 'checked';

-- name: finish(tenant, key, bank_reference, risk)!
-- The bank has carried it out.
update treasury.transactions
set status = 'executed', executed_at = now(), bank_reference = :bank_reference, risk = coalesce(risk, :risk)
where tenant = :tenant and key = :key and status = 'executing';

-- name: fail(tenant, key, why)!
-- The bank has surely not carried it out.
update treasury.transactions set status = 'failed', why = :why
where tenant = :tenant and key = :key and status = 'executing';

-- name: cancel(tenant, key, why)!
-- Nobody waits for it any more.
update treasury.transactions set status = 'cancelled', why = :why
where tenant = :tenant and key = :key and status = 'checked';
