-- Lineage looks up its sums install by install, whatever PostgreSQL knows of the tables: row by row of what is installed, which
-- is never much, and by the key: the index of the cut 'all' alone is out of its reach.
create or replace function library_lineage(revision uuid)
    returns table (install uuid, into_unit uuid, state text, installed_at timestamptz, ended_at timestamptz, pos integer, kept boolean,
        source_version uuid, evaluation uuid, version uuid, submission_n bigint, linked_n bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select i.id, i.into_unit, i.state, i.installed_at, i.ended_at, d.position, d.kept, d.source_version_id, d.evaluation_id, d.evaluation_version_id,
        coalesce(whole.completed_n, 0), case when d.kept then 0 else coalesce(linked.completed_n, 0) end
    from public.library_installs i
    cross join lateral (select org_unit_id from public.libraries where tenant_id = i.tenant_id and id = i.library_id offset 0) l
    cross join lateral (select * from public.library_installed where tenant_id = i.tenant_id and install_id = i.id offset 0) d
    left join lateral (select completed_n from public.report_evaluation_rollup
        where tenant_id = i.tenant_id and org_unit_id = i.into_unit and evaluation_version_id = d.evaluation_id and cut = 'evaluation' and run_label = ''
            and group_id = '00000000-0000-0000-0000-000000000000' offset 0) whole on true
    left join lateral (select completed_n from public.report_evaluation_rollup
        where tenant_id = i.tenant_id and org_unit_id = i.into_unit and evaluation_version_id = d.evaluation_version_id and cut || '' = 'all' and run_label = ''
            and group_id = '00000000-0000-0000-0000-000000000000' offset 0) linked on true
    where i.tenant_id = public.scope_tenant() and i.revision_id = revision
      and (public.scope_org_unit() is null or l.org_unit_id = public.scope_org_unit() or i.into_unit = public.scope_org_unit())
$$;
