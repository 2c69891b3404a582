-- A policy of submissions can be of one evaluation, one outcome, one way of handing out, or several of these at once; null: of
-- all. scope names the three in one text, '' for the policy of all. The most special one that fits counts: first by evaluation, then by
-- outcome, then by the way of handing out.
alter table retention_policies
    add column evaluation_id   uuid,
    add column outcome         text check (outcome in ('pass', 'fail', 'incomplete')),
    add column assignment_kind text check (assignment_kind in ('none', 'user_id', 'email', 'group_id', 'public_link')),
    add column scope           text not null default '';
alter table retention_policies drop constraint retention_policies_pkey;
alter table retention_policies add primary key (tenant_id, domain, scope, number);
alter table retention_policies add check (scope = '' or domain = 'submissions'),
    add check ((scope = '') = (evaluation_id is null and outcome is null and assignment_kind is null));

-- What a tenant says is the legal basis of a purpose of the record of processing; without a row it is that of the map.
create table processing_bases (
    tenant_id   uuid not null references tenants (id),
    purpose     text not null,
    legal_basis text not null check (legal_basis in ('consent', 'contract', 'legal_obligation', 'vital_interests', 'public_task', 'legitimate_interests')),
    set_by      text not null,
    set_at      timestamptz not null,
    primary key (tenant_id, purpose)
);
call protect('processing_bases', 'tenant', 'select, insert, update');
