-- name: take_turn(tenant, name, interval_s, burst, longest_s)^
-- Moves the pace on by one call and says how long that call has to wait; no row when it would wait too long.
insert into helpdesk.paces as pace (tenant, name, due_at)
values (:tenant, :name, clock_timestamp() + make_interval(secs => :interval_s))
on conflict (tenant, name) do update
set due_at = greatest(pace.due_at, clock_timestamp()) + make_interval(secs => :interval_s)
where pace.due_at - clock_timestamp() <= make_interval(secs => :longest_s + (:burst - 1) * :interval_s)
returning greatest(0, extract(epoch from due_at - clock_timestamp()) - :burst * :interval_s)::float8 as wait_s;
