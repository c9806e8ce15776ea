-- name: take_turn(tenant, name, interval_s, burst, longest_s)^
-- Moves the pace on by one call and says how long that call has to wait; no row when it would wait too long. The table's
-- own limit counts where the caller's is higher.
insert into helpdesk.paces as pace (tenant, name, due_at)
values (:tenant, :name, clock_timestamp() + make_interval(secs => :interval_s))
on conflict (tenant, name) do update
set due_at = greatest(pace.due_at, clock_timestamp())
             + make_interval(secs => greatest(:interval_s, 60.0 / pace.most_per_minute))
where pace.due_at - clock_timestamp() <= make_interval(
    secs => :longest_s + (:burst - 1) * greatest(:interval_s, 60.0 / pace.most_per_minute)
)
returning greatest(
    0, extract(epoch from due_at - clock_timestamp()) - :burst * greatest(:interval_s, 60.0 / most_per_minute)
)::float8 as wait_s;
