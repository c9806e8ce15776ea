-- name: conflicts(customers, payment_methods, orders, payments, past_refunds)
-- Rows of an import that contradict what the shop holds and never changes: file, id of the row, what is wrong.
with
customers as (select * from jsonb_to_recordset(:customers) as r (customer_id text, email text)),
methods as (
    select * from jsonb_to_recordset(:payment_methods) as r (payment_method_id text, customer_id text)
),
orders as (select * from jsonb_to_recordset(:orders) as r (order_id text, customer_id text)),
payments as (
    select * from jsonb_to_recordset(:payments)
        as r (order_id text, line smallint, payment_method_id text, amount_usd numeric)
),
past_refunds as (
    select *, format('history:%%s:%%s', order_id, line) as key
    from jsonb_to_recordset(:past_refunds)
        as r (order_id text, line smallint, payment_method_id text, amount_usd numeric)
)
select 'users.json' as file, n.customer_id as id, 'email: customer ' || c.customer_id || ' has the same' as what
from customers n
join shop.customers c on lower(c.email) = lower(n.email) and c.customer_id <> n.customer_id
union all
select 'users.json', n.customer_id, 'payment_methods.' || n.payment_method_id || ': belongs to ' || m.customer_id
from methods n
join shop.payment_methods m using (payment_method_id)
where m.customer_id <> n.customer_id
union all
select 'orders.json', n.order_id, 'user_id: the shop has this order for customer ' || o.customer_id
from orders n
join shop.orders o using (order_id)
where o.customer_id <> n.customer_id
union all
select 'orders.json', p.order_id, format('payment_history: the shop has $%%s as payment %%s', p.amount_usd, p.line)
from shop.payments p
join orders using (order_id)
left join payments n using (order_id, line)
where (n.payment_method_id, n.amount_usd) is distinct from (p.payment_method_id, p.amount_usd)
union all
select 'orders.json', f.order_id, format('payment_history: the shop has $%%s as a refund', f.amount_usd)
from shop.refunds f
join orders using (order_id)
left join past_refunds n on n.key = f.idempotency_key
where f.provider = 'history'
    and (n.payment_method_id, n.amount_usd) is distinct from (f.payment_method_id, f.amount_usd);
