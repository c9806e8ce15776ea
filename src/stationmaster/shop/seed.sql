-- name: begin_seeding()^
-- Marks the shop as seeded today; no row comes back when it was seeded before. Waits for a seeding under way.
insert into shop.seeding (seeded_on) values (current_date)
on conflict do nothing
returning seeded_on;

-- name: seeded_on()^
-- The day on which the shop was seeded.
select seeded_on from shop.seeding;

-- name: add_policy(reason, window_days, refund_share, text)!
-- The return policy of a reason.
insert into shop.return_policies (reason, window_days, refund_share, text)
values (:reason, :window_days, :refund_share, :text);

-- name: add_article(article_id, title, keywords, body)!
-- A help article; its search index is computed by the table.
insert into shop.articles (article_id, title, keywords, body)
values (:article_id, :title, :keywords, :body);

-- name: has_orders()^
-- One row when the shop holds orders, by an import: then nothing is invented beside them.
select 1 from shop.orders limit 1;

-- name: stock_up()!
-- Puts what the shop sells into stock, for the operator's questions.
select desk.stock_up();
