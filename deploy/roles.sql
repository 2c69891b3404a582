-- The three roles of the service, for an administrator to run once, in a database of the service's own:
--
--     psql -d assess -v login_password=... -v owner_password=... -f deploy/roles.sql
--
-- assess_app holds the privileges of the programs, and its name is fixed. The programs log in as assess, a
-- plain member of it; assess_owner owns the tables and runs the migrations.
create role assess_app nologin;
create role assess login password :'login_password' in role assess_app;
create role assess_owner login password :'owner_password';
alter database assess owner to assess_owner;
-- Temporary tables could stand in the place of others.
revoke temporary on database assess from public;
