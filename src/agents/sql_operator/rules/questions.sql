-- name: one_order()
-- {number}: an order's number, letters and digits.
select o.order_id, o.status, o.placed_on, o.delivered_on, o.paid_usd, o.refunded_usd, i.product, i.quantity
from orders o join order_items i on i.order_id = o.order_id where o.order_id = '{number}' order by i.line;

-- name: low_stock()
-- What is scarce, and who delivers it.
select s.sku, s.product, s.on_hand, s.reorder_level, p.name as supplier, p.lead_days
from stock s join suppliers p on p.supplier_id = s.supplier_id and p.tenant = s.tenant
where s.on_hand < s.reorder_level order by s.on_hand, s.sku limit {limit};

-- name: stock_by_category()
-- With what it is worth.
select category, count(*) as products, sum(on_hand) as on_hand, sum(on_hand * unit_price_usd) as value_usd
from stock group by category order by category;

-- name: stock_value()
-- One number.
select sum(on_hand * unit_price_usd) as value_usd from stock;

-- name: stock()
-- What lies there.
select sku, product, on_hand, reorder_level from stock order by product, sku limit {limit};

-- name: refunds_by_month()
-- {where}: a condition, or nothing.
select date_trunc('month', created_at) as month, count(*) as refunds, sum(amount_usd) as refunded_usd
from refunds {where} group by 1 order by 1;

-- name: refunds_listed()
-- The newest first.
select order_id, amount_usd, provider, created_at from refunds {where}
order by created_at desc, order_id limit {limit};

-- name: refunds()
-- Count and sum.
select count(*) as refunds, coalesce(sum(amount_usd), 0) as refunded_usd from refunds {where};

-- name: best_customers()
-- By what they paid.
select c.customer_id, c.first_name, c.last_name, count(*) as orders, sum(paid_usd) as spent_usd
from customers c join orders o on o.customer_id = c.customer_id {where}
group by c.customer_id, c.first_name, c.last_name order by spent_usd desc, c.customer_id limit {limit};

-- name: customers_by_place()
-- {place}: city, state or country.
select {place}, count(*) as customers from customers group by {place} order by customers desc, {place} limit {limit};

-- name: customers()
-- One number.
select count(*) as customers from customers;

-- name: best_sellers()
-- {by}: product or category.
select i.{by}, sum(i.quantity) as sold, sum(i.quantity * i.price_usd) as value_usd
from order_items i join orders o on o.order_id = i.order_id {where}
group by i.{by} order by sold desc, i.{by} limit {limit};

-- name: orders_by_status()
-- Count and sum.
select status, count(*) as orders, sum(paid_usd) as paid_usd from orders {where} group by status order by status;

-- name: orders_by_month()
-- What is left after refunds.
select date_trunc('month', placed_on) as month, count(*) as orders, sum(paid_usd - refunded_usd) as revenue_usd
from orders {where} group by 1 order by 1;

-- name: orders_listed()
-- The newest first.
select order_id, status, placed_on, paid_usd, refunded_usd from orders {where}
order by placed_on desc, order_id limit {limit};

-- name: orders_largest()
-- The largest first.
select order_id, status, placed_on, paid_usd, refunded_usd from orders {where}
order by paid_usd desc, order_id limit {limit};

-- name: revenue()
-- Count, what is left after refunds, and the mean of what was paid.
select count(*) as orders, coalesce(sum(paid_usd - refunded_usd), 0) as revenue_usd,
round(coalesce(avg(paid_usd), 0), 2) as average_usd from orders {where};

-- name: orders()
-- One number.
select count(*) as orders from orders {where};

-- name: set_reorder_level()!
-- A wish to change something: {sku}, {n}.
update stock set reorder_level = {n} where sku = '{sku}';

-- name: set_reorder_levels()!
-- {category}, {n}.
update stock set reorder_level = {n} where category = '{category}';

-- name: set_count()!
-- {sku}, {n}.
update stock set on_hand = {n} where sku = '{sku}';

-- name: set_lead_time()!
-- {category}: the supplier has its name. {n}.
update suppliers set lead_days = {n} where supplier_id = '{category}';

-- name: request_purchase()!
-- {sku}, {n}.
insert into purchase_requests (sku, quantity) values ('{sku}', {n});
