-- name: find_order(order_id)^
-- An order with its customer, items and what can still be refunded, in the shape of `orders.Order`.
select
    o.order_id,
    o.customer_id,
    c.first_name || ' ' || c.last_name as customer_name,
    c.email as customer_email,
    o.status,
    to_char(o.placed_on, 'YYYY-MM-DD') as placed_on,
    to_char(o.delivered_on, 'YYYY-MM-DD') as delivered_on,
    current_date - o.delivered_on as days_since_delivery,
    (
        select jsonb_agg(
            jsonb_build_object(
                'name', i.name, 'category', i.category, 'price_usd', i.price_usd, 'quantity', i.quantity
            ) order by i.line
        )
        from shop.order_items i
        where i.order_id = o.order_id
    ) as items,
    o.paid_usd::float8 as paid_usd,
    o.refunded_usd::float8 as refunded_usd,
    (o.paid_usd - o.refunded_usd - o.held_usd)::float8 as refundable_usd
from shop.orders o
join shop.customers c using (customer_id)
where o.order_id = :order_id;
