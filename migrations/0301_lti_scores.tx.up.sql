-- LTI 1.3: grades that go back into the gradebooks of learning platforms.

-- The grade of a person in an activity. changed counts how often it was asked to look at it. prepared is a body that was given to a
-- call of which nobody knows yet how it ended, at the time of stamp; sent is the last that the platform took.
create table lti_scores (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    platform_id uuid not null,
    link_id     uuid not null,
    user_id     uuid not null,
    state       text not null default 'due' check (state in ('due', 'sent', 'refused', 'none')),
    changed     bigint not null default 1,
    attempts    integer not null default 0,
    next_at     timestamptz not null,
    stamp       timestamptz,
    prepared    text,
    sent        text,
    status      integer,
    answer      text,
    sent_at     timestamptz,
    created_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    foreign key (tenant_id, link_id) references lti_links (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint lti_scores_one unique (tenant_id, link_id, user_id)
);
create index lti_scores_due on lti_scores (tenant_id, platform_id, next_at) where state = 'due';
create index lti_scores_of_platform on lti_scores (tenant_id, platform_id);
create index lti_scores_of_user on lti_scores (tenant_id, user_id);
create index lti_scores_listed on lti_scores (tenant_id, org_unit_id, created_at desc, id);
create index lti_scores_refused on lti_scores (tenant_id, org_unit_id, created_at desc, id) where state = 'refused';
alter table lti_scores alter column answer set statistics 0;
call protect('lti_scores', 'org', 'select, insert, update, delete');

create policy lookup on lti_platforms for select to current_user using (true);
create policy lookup on lti_scores for select to current_user using (true);

-- Platforms with grades to send, that nobody sends to: a skip scan, one probe a platform.
create function lti_to_send(at timestamptz, most integer, out tenant uuid, out platform uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive due (tenant_id, platform_id, next_at) as (
        (select tenant_id, platform_id, next_at from public.lti_scores where state = 'due' order by tenant_id, platform_id, next_at limit 1)
        union all
        select n.* from due d cross join lateral (
            select s.tenant_id, s.platform_id, s.next_at from public.lti_scores s
            where s.state = 'due' and (s.tenant_id, s.platform_id) > (d.tenant_id, d.platform_id)
            order by s.tenant_id, s.platform_id, s.next_at limit 1) n
    )
    select d.tenant_id, d.platform_id from due d join public.lti_platforms p on p.tenant_id = d.tenant_id and p.id = d.platform_id
    where d.next_at <= at and p.status = 'active' and (p.claimed_until is null or p.claimed_until <= at) and (p.next_at is null or p.next_at <= at) limit most
$$;

revoke execute on function lti_to_send from public;
grant execute on function lti_to_send to assess_app;
