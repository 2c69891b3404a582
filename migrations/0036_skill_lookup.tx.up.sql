-- tenants_with_stale_skills() runs as the owner, whom row-level security binds, too: without a policy of the
-- owner's it finds no tenant, and no overview of skills is derived.
create policy lookup on report_skill_stale for select to current_user using (true);
