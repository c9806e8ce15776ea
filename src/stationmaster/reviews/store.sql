-- name: get(id)^
-- One review.
select * from reviews.shown where id = :id;

-- name: get_in_scope(id, every_group, own_groups)^
-- One review, if its groups are in scope.
select * from reviews.shown where id = :id and (:every_group or groups && :own_groups::text[]);

-- name: lock(id)^
-- One review, which nobody else changes until this transaction ends.
select id from reviews.reviews where id = :id for update;

-- name: of_thread(thread_id)
-- The reviews of a thread, oldest first.
select * from reviews.shown where thread_id = :thread_id order by opened_at, id;

-- name: list_due
-- Open or moving reviews of one tab, the most urgent first.
select shown.* from (
    select id from reviews.reviews
    where phase = :phase
        and (:tab <> 'needs_you' or (not debug and claimed_by is null and first_by is distinct from :me))
        and (:tab <> 'claimed' or (not debug and claimed_by = :me))
        and (:tab <> 'waiting' or (not debug and claimed_by is distinct from :me
                                   and (claimed_by is not null or first_by = :me)))
        and (:tab <> 'debug' or debug)
        and (:every_group or groups && :own_groups::text[])
        and (:graph::text is null or graph = :graph)
        and (:assistant::text is null or assistant_id = :assistant or left(assistant_name, 200) = left(:assistant, 200))
        and (:shape::text is null or shape = :shape)
        and (:state::text is null or state = :state)
        and (:risk::text is null or risk = :risk)
        and (:thread_id::text is null or thread_id = :thread_id)
        and (:min_amount_usd::float8 is null or amount_usd >= :min_amount_usd)
        and (:max_amount_usd::float8 is null or amount_usd <= :max_amount_usd)
        and (:group::text is null or :group = any(groups))
        and (:owner::text is null or coalesce(decided_by, claimed_by) = :owner)
        and (:due_before::timestamptz is null or due_at < :due_before)
        and (:needs_person::boolean is null or needs_person = :needs_person)
        and (:search::text is null or search @@ websearch_to_tsquery('simple', :search))
        and (:after_id::uuid is null
             or (due_sort, opened_at, id) > (:after_due::timestamptz, :after_at::timestamptz, :after_id::uuid))
    order by due_sort, opened_at, id
    limit :limit
) as found join reviews.shown using (id)
order by due_sort, opened_at, id;

-- name: list_newest
-- The same, the newest first.
select shown.* from (
    select id from reviews.reviews
    where phase = :phase
        and (:tab <> 'needs_you' or (not debug and claimed_by is null and first_by is distinct from :me))
        and (:tab <> 'claimed' or (not debug and claimed_by = :me))
        and (:tab <> 'waiting' or (not debug and claimed_by is distinct from :me
                                   and (claimed_by is not null or first_by = :me)))
        and (:tab <> 'debug' or debug)
        and (:every_group or groups && :own_groups::text[])
        and (:graph::text is null or graph = :graph)
        and (:assistant::text is null or assistant_id = :assistant or left(assistant_name, 200) = left(:assistant, 200))
        and (:shape::text is null or shape = :shape)
        and (:state::text is null or state = :state)
        and (:risk::text is null or risk = :risk)
        and (:thread_id::text is null or thread_id = :thread_id)
        and (:min_amount_usd::float8 is null or amount_usd >= :min_amount_usd)
        and (:max_amount_usd::float8 is null or amount_usd <= :max_amount_usd)
        and (:group::text is null or :group = any(groups))
        and (:owner::text is null or coalesce(decided_by, claimed_by) = :owner)
        and (:due_before::timestamptz is null or due_at < :due_before)
        and (:needs_person::boolean is null or needs_person = :needs_person)
        and (:search::text is null or search @@ websearch_to_tsquery('simple', :search))
        and (:after_id::uuid is null or (opened_at, id) < (:after_at::timestamptz, :after_id::uuid))
    order by opened_at desc, id desc
    limit :limit
) as found join reviews.shown using (id)
order by opened_at desc, id desc;

-- name: list_closed
-- Closed reviews, the last closed first.
select shown.* from (
    select id from reviews.reviews
    where phase = 'closed'
        and (:every_group or groups && :own_groups::text[])
        and (:graph::text is null or graph = :graph)
        and (:assistant::text is null or assistant_id = :assistant or left(assistant_name, 200) = left(:assistant, 200))
        and (:shape::text is null or shape = :shape)
        and (:state::text is null or state = :state)
        and (:risk::text is null or risk = :risk)
        and (:thread_id::text is null or thread_id = :thread_id)
        and (:min_amount_usd::float8 is null or amount_usd >= :min_amount_usd)
        and (:max_amount_usd::float8 is null or amount_usd <= :max_amount_usd)
        and (:group::text is null or :group = any(groups))
        and (:owner::text is null or coalesce(decided_by, claimed_by) = :owner)
        and (:due_before::timestamptz is null or due_at < :due_before)
        and (:needs_person::boolean is null or needs_person = :needs_person)
        and (:search::text is null or search @@ websearch_to_tsquery('simple', :search))
        and (:after_id::uuid is null or (closed_at, id) < (:after_at::timestamptz, :after_id::uuid))
    order by closed_at desc, id desc
    limit :limit
) as found join reviews.shown using (id)
order by closed_at desc, id desc;

-- name: counts(me, every_group, own_groups, cap)
-- How many reviews each tab holds, each counted up to :cap. The tabs are those of reviews.tab_of.
select 'needs_you' as tab, count(*) as n from (
    select from reviews.reviews
    where phase = 'open' and not debug and claimed_by is null and first_by is distinct from :me and (:every_group or groups && :own_groups::text[])
    limit :cap
) as needs_you
union all
select 'claimed' as tab, count(*) as n from (
    select from reviews.reviews
    where phase = 'open' and not debug and claimed_by = :me and (:every_group or groups && :own_groups::text[])
    limit :cap
) as claimed
union all
select 'waiting' as tab, count(*) as n from (
    select from reviews.reviews
    where phase = 'open' and not debug and claimed_by is distinct from :me
        and (claimed_by is not null or first_by = :me) and (:every_group or groups && :own_groups::text[])
    limit :cap
) as waiting
union all
select 'debug' as tab, count(*) as n from (
    select from reviews.reviews
    where phase = 'open' and debug and (:every_group or groups && :own_groups::text[])
    limit :cap
) as debug
union all
select 'decided' as tab, count(*) as n from (
    select from reviews.reviews
    where phase = 'moving' and (:every_group or groups && :own_groups::text[])
    limit :cap
) as decided
union all
select 'closed' as tab, count(*) as n from (
    select from reviews.reviews
    where phase = 'closed' and (:every_group or groups && :own_groups::text[])
    limit :cap
) as closed;

-- name: comments(review_id)
-- The remarks beside a review, oldest first.
select comment_id, author, body, at from reviews.comments where review_id = :review_id order by comment_id;

-- name: drift
-- What the sweep found that nobody had told us, and how far it has looked.
select name, n, last_thread, last_at from reviews.drift order by name;

-- name: sweep_state^
-- The sweep's own row.
select watermark, last_sweep_at, last_full_at, lag_s from reviews.sweep;

-- name: stuck(every_group, own_groups, limit)
-- What an operator must look at: marked ones, answers that can't be delivered, and those that have been on their way for
-- over two minutes.
select * from reviews.shown
where (needs_person or delivery_error is not null or (state in ('decided', 'sent') and coalesce(sent_at, send_after, decided_at) < now() - interval '2 minutes'))
    and (:every_group or groups && :own_groups::text[])
order by updated_at desc
limit :limit;
