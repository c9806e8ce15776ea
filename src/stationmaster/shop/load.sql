-- Each statement takes a JSON array of rows and returns a row for each one that it wrote: added or changed.

-- name: customers(rows)
-- Adds customers, or brings their name, email and address up to date.
insert into shop.customers as t (customer_id, first_name, last_name, email, address)
select customer_id, first_name, last_name, email, address
from jsonb_to_recordset(:rows)
    as r (customer_id text, first_name text, last_name text, email text, address jsonb)
on conflict (customer_id) do update
set first_name = excluded.first_name, last_name = excluded.last_name, email = excluded.email,
    address = excluded.address
where (t.first_name, t.last_name, t.email, t.address)
    is distinct from (excluded.first_name, excluded.last_name, excluded.email, excluded.address)
returning xmax = 0 as added;

-- name: payment_methods(rows)
-- Adds payment methods, or brings cards and balances up to date; a method never moves to another customer.
insert into shop.payment_methods as t (payment_method_id, customer_id, source, brand, last_four, balance_usd)
select payment_method_id, customer_id, source, brand, last_four, balance_usd
from jsonb_to_recordset(:rows) as r (
    payment_method_id text, customer_id text, source text, brand text, last_four text, balance_usd numeric
)
on conflict (payment_method_id) do update
set source = excluded.source, brand = excluded.brand, last_four = excluded.last_four,
    balance_usd = excluded.balance_usd
where (t.source, t.brand, t.last_four, t.balance_usd)
    is distinct from (excluded.source, excluded.brand, excluded.last_four, excluded.balance_usd)
returning xmax = 0 as added;

-- name: products(rows)
-- Adds products, or brings their names up to date.
insert into shop.products as t (product_id, name, category)
select product_id, name, category
from jsonb_to_recordset(:rows) as r (product_id text, name text, category text)
on conflict (product_id) do update
set name = excluded.name, category = excluded.category
where (t.name, t.category) is distinct from (excluded.name, excluded.category)
returning xmax = 0 as added;

-- name: variants(rows)
-- Adds what can be bought, or brings options, price and availability up to date.
insert into shop.product_variants as t (item_id, product_id, options, available, price_usd)
select item_id, product_id, options, available, price_usd
from jsonb_to_recordset(:rows)
    as r (item_id text, product_id text, options jsonb, available boolean, price_usd numeric)
on conflict (item_id) do update
set product_id = excluded.product_id, options = excluded.options, available = excluded.available,
    price_usd = excluded.price_usd
where (t.product_id, t.options, t.available, t.price_usd)
    is distinct from (excluded.product_id, excluded.options, excluded.available, excluded.price_usd)
returning xmax = 0 as added;

-- name: orders(rows)
-- Adds orders, or moves their status and address on; days that are known already are kept.
insert into shop.orders as t (order_id, customer_id, status, placed_on, delivered_on, address)
select order_id, customer_id, status, placed_on, delivered_on, address
from jsonb_to_recordset(:rows) as r (
    order_id text, customer_id text, status text, placed_on date, delivered_on date, address jsonb
)
on conflict (order_id) do update
set status = excluded.status, address = excluded.address,
    delivered_on = greatest(excluded.delivered_on, case when excluded.status = 'delivered' then t.placed_on end)
where (t.status, t.address) is distinct from (excluded.status, excluded.address)
returning xmax = 0 as added;

-- name: items(rows)
-- Adds the lines of orders, or brings them up to date.
insert into shop.order_items as t (order_id, line, item_id, name, category, options, price_usd, quantity)
select order_id, line, item_id, name, category, options, price_usd, quantity
from jsonb_to_recordset(:rows) as r (
    order_id text, line smallint, item_id text, name text, category text, options jsonb, price_usd numeric,
    quantity integer
)
on conflict (order_id, line) do update
set item_id = excluded.item_id, name = excluded.name, category = excluded.category, options = excluded.options,
    price_usd = excluded.price_usd, quantity = excluded.quantity
where (t.item_id, t.name, t.category, t.options, t.price_usd, t.quantity)
    is distinct from
    (excluded.item_id, excluded.name, excluded.category, excluded.options, excluded.price_usd, excluded.quantity)
returning xmax = 0 as added;

-- name: shipments(rows)
-- Adds parcels, or brings what is in them up to date.
insert into shop.shipments as t (order_id, tracking_id, item_ids)
select order_id, tracking_id, item_ids
from jsonb_to_recordset(:rows) as r (order_id text, tracking_id text, item_ids jsonb)
on conflict (order_id, tracking_id) do update
set item_ids = excluded.item_ids
where t.item_ids is distinct from excluded.item_ids
returning xmax = 0 as added;

-- name: payments(rows)
-- Adds payments; the table is append-only, so one that is there stays as it is.
insert into shop.payments (order_id, line, payment_method_id, amount_usd)
select order_id, line, payment_method_id, amount_usd
from jsonb_to_recordset(:rows)
    as r (order_id text, line smallint, payment_method_id text, amount_usd numeric)
on conflict (order_id, line) do nothing
returning true as added;

-- name: past_refunds(rows)
-- Adds refunds that came with an order to the ledger, where nothing is ever changed.
insert into shop.refunds (idempotency_key, order_id, amount_usd, provider, reference, payment_method_id)
select
    format('history:%%s:%%s', order_id, line), order_id, amount_usd, 'history',
    format('H-%%s-%%s', order_id, line), payment_method_id
from jsonb_to_recordset(:rows)
    as r (order_id text, line smallint, payment_method_id text, amount_usd numeric)
on conflict (idempotency_key) do nothing
returning true as added;
