-- A row with opened_at is an open breaker; probe_until marks the one probe of a half-open one. Times are
-- compared with clock_timestamp(): now() is the start of the transaction, which may have waited for a row.

-- name: look(name, cooldown_s)^
-- No row while the breaker is closed; else the seconds until a probe is due (0 or less: now).
select greatest(
    extract(epoch from opened_at - clock_timestamp()) + :cooldown_s,
    extract(epoch from probe_until - clock_timestamp())
)::float8 as seconds_left
from shop.breakers
where name = :name and opened_at is not null;

-- name: claim_probe(name, cooldown_s, probe_s)^
-- Takes the probe if it is due and nobody has it; of several at once exactly one gets a row.
update shop.breakers
set probe_until = clock_timestamp() + make_interval(secs => :probe_s)
where name = :name
  and opened_at <= clock_timestamp() - make_interval(secs => :cooldown_s)
  and (probe_until is null or probe_until <= clock_timestamp())
returning probe_until;

-- name: reset(name)!
-- A success while closed ends the row of failures; writes nothing when there is none.
update shop.breakers set failures = 0
where name = :name and opened_at is null and failures > 0;

-- name: close(name, probe)!
-- The probe succeeded; without effect when its turn has passed to another.
update shop.breakers set failures = 0, opened_at = null, probe_until = null
where name = :name and probe_until = :probe;

-- name: count_failure(name, threshold)!
-- One more failure while closed; the one that reaches the threshold opens. A call from before the breaker
-- opened changes nothing: it must not prolong the cooldown.
insert into shop.breakers as b (name, failures, opened_at)
values (:name, 1, case when :threshold <= 1 then clock_timestamp() end)
on conflict (name) do update
set failures = b.failures + 1,
    opened_at = case when b.failures + 1 >= :threshold then clock_timestamp() end
where b.opened_at is null;

-- name: reopen(name, probe)!
-- The probe failed: the cooldown starts anew.
update shop.breakers
set failures = failures + 1, opened_at = clock_timestamp(), probe_until = null
where name = :name and probe_until = :probe;

-- name: give_back(name, probe)!
-- The probe proved nothing: the next caller may probe at once.
update shop.breakers set probe_until = null
where name = :name and probe_until = :probe;
