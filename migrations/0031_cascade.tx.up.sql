-- Rows that go because of a foreign key are deleted in the name of the tables' owner, and from PostgreSQL 18 on
-- the triggers that they set off run in that name, too. So what these triggers read and write is open
-- to the owner in the tenant that the transaction states, as it is to the programs.
create policy cascade on projection_outbox for insert to current_user with check (tenant_id = scope_tenant());
create policy cascade on report_skill_rollups for select to current_user using (tenant_id = scope_tenant());
create policy cascade on report_skill_targets for select to current_user using (tenant_id = scope_tenant());
