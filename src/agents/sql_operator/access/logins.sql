-- name: lock()!
-- One process at a time makes roles; the others wait until it has committed.
select pg_advisory_xact_lock(hashtextextended('stationmaster desk roles', 0));

-- name: login(login)^
-- The name of this database's role, whether it is there, and its password if this database keeps one.
select named.role, exists (select from pg_roles r where r.rolname = named.role) as there, l.password
from (select 'desk_' || :login || '_' || left(md5(current_database()), 10) as role) named
left join desk.logins l on l.role = named.role;

-- name: keep(role, password)!
-- Keeps a new role's password, for every process that connects as it.
insert into desk.logins (role, password) values (:role, :password);

-- name: strong()^
-- Who this session is, and whether that is more than a role for statements: such a one is never used.
select current_user, r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication
       or has_schema_privilege('shop', 'usage')
from pg_roles r where r.rolname = current_user;
