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

-- name: paid_before(tenant, account, reference, thread, key)^
-- The transaction by which this very reference of this payee was paid, is being paid or waits in another thread; the one
-- of this key does not count: a request that comes again after a crash is no duplicate of itself.
select transaction_id, status, amount_usd::float8 as amount_usd
from treasury.transactions
where tenant = :tenant and treasury.account_key(account) = treasury.account_key(:account)
  and upper(reference) = upper(:reference) and kind = 'payment' and key <> :key
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

-- name: paid_today(tenant, account, thread)^
-- What went to one payee in the last 24 hours, is on its way or waits in another thread: a large sum in small parts shows here.
select coalesce(sum(amount_usd), 0)::float8 as usd
from treasury.transactions
where tenant = :tenant and treasury.account_key(account) = treasury.account_key(:account)
  and (status in ('executing', 'executed') or (status = 'checked' and not starts_with(request, :thread || ':')))
  and created_at > now() - interval '24 hours';

-- name: known_payee(tenant, account)^
-- Whether money went to this account before.
select exists (
    select from treasury.transactions
    where tenant = :tenant and treasury.account_key(account) = treasury.account_key(:account) and status = 'executed'
) as known;
