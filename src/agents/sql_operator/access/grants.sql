-- name: superuser()^
-- Whether this user may change what stands in pg_catalog.
select rolsuper as superuser from pg_roles where rolname = current_user;

-- name: harden()!
-- Side doors that are open to everybody: settings, sleeping, large objects, queries in text, locks, other sessions,
-- notices, code of one's own, temporary tables.
do $$
declare
    door record;
begin
    for door in
        select p.oid::regprocedure as signature from pg_proc p
        where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f'
          and (p.proname in ('set_config', 'pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'pg_notify', 'pg_cancel_backend',
                             'pg_terminate_backend', 'pg_export_snapshot', 'pg_stat_get_activity', 'loread', 'lowrite',
                             'ts_stat', 'ts_rewrite')
               or p.proname like 'lo\_%' or p.proname like 'pg\_advisory\_%' or p.proname like 'pg\_try\_advisory\_%'
               or p.proname like '%\_to\_xml%' or p.proname like 'pg\_logical\_emit\_message%')
    loop
        execute format('revoke execute on function %s from public', door.signature);
    end loop;
    revoke usage on language plpgsql from public;
    revoke select on pg_catalog.pg_stat_activity from public;
    execute format('revoke temporary on database %I from public', current_database());
end $$;
