-- LTI 1.3: deep linking. A teacher whom a platform sends here picks what an activity hands out.

-- A pick that is under way: the page of it, in the browser that was launched, for ten minutes, answers the platform once. data is the platform's own,
-- and goes back as it came. chosen are the evaluations of the answer.
create table lti_deep_links (
    tenant_id     uuid not null,
    id            uuid not null,
    deployment_id uuid not null,
    user_id       uuid not null,
    flow_hash     bytea not null,
    proof_hash    bytea not null,
    return_url    text not null,
    data          bytea,
    course        text not null,
    multiple      boolean not null,
    line_item     boolean not null,
    in_window     boolean not null,
    created_at    timestamptz not null,
    expires_at    timestamptz not null,
    used_at       timestamptz,
    chosen        uuid[],
    primary key (tenant_id, id),
    foreign key (tenant_id, deployment_id) references lti_deployments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint lti_deep_links_flow unique (tenant_id, flow_hash)
);
create index lti_deep_links_expiry on lti_deep_links (tenant_id, expires_at);
create index lti_deep_links_of_deployment on lti_deep_links (tenant_id, deployment_id);
create index lti_deep_links_of_user on lti_deep_links (tenant_id, user_id);
alter table lti_deep_links alter column course set statistics 0;
call protect('lti_deep_links', 'tenant', 'select, insert, update, delete');
