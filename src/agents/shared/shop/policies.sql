-- name: find_policy(reason)^
-- The return policy of a reason; for a reason that has none, the one for 'other'.
select reason, window_days, refund_share::float8 as refund_share, text
from shop.return_policies
where reason in (:reason, 'other')
order by reason = :reason desc
limit 1;
