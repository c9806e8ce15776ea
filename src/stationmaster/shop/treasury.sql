-- name: add_sanction(entry, list, name, account)!
-- A name of an entry on a sanctions list, with the account that is known of it, if any.
insert into treasury.sanctions (entry, list, name, account)
values (:entry, :list, :name, :account)
on conflict do nothing;

-- name: add_instrument(symbol, name, price_usd)!
-- An instrument that the treasury may trade, with its price.
insert into treasury.instruments (symbol, name, price_usd)
values (:symbol, :name, :price_usd)
on conflict do nothing;

-- name: forget_list(list)!
-- Before a list is loaded anew: what it held.
delete from treasury.sanctions where list = :list;
