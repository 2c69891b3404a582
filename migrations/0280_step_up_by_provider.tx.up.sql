-- Step-up at an identity provider, accounts that their person links, and a key for the client in place of a secret.
alter table identity_providers add column step_up jsonb not null default '{}';
alter table identity_providers add column sealed_key bytea;
alter table identity_providers add column public_key jsonb;

alter table step_up_proofs drop constraint step_up_proofs_method_check;
alter table step_up_proofs add constraint step_up_proofs_method_check check (method in ('magic_link', 'operator', 'oidc'));

-- A flow of somebody who is signed in already is theirs: they step up, or link an account.
alter table sign_in_flows add column purpose text not null default 'sign_in' check (purpose in ('sign_in', 'step_up', 'link'));
alter table sign_in_flows add column user_id uuid;
alter table sign_in_flows add column org_unit_id uuid;
alter table sign_in_flows add foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade;
alter table sign_in_flows add foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id);
create index sign_in_flows_user on sign_in_flows (tenant_id, user_id);
create index sign_in_flows_org_unit on sign_in_flows (tenant_id, org_unit_id);

-- What trading the code of a link proves; null: that a mail was read, where no provider gave the code.
alter table magic_links add column proof text check (proof in ('none', 'oidc'));
